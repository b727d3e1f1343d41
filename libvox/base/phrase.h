// What messages call the things that a user can set, and what he can do about a problem. The library has
// words of its own for them; a program whose users set the same by options says once, before anything else,
// what it calls them (tools/common/phrases.cpp).
//
//   throw UsageError(fmt::format("{} is '{}', expected …", phrase(Phrase::Device), device));
//
// says "the device is …" to a program that calls the library, and "--device is …" to the user of a tool.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vox {

enum class Phrase : uint8_t {
  // What a user sets, as the subject or the object of a sentence.
  Device,
  Tables,
  ItemWords,
  LoadFactor,
  LoadFactors,
  HitRates,
  Repetitions,
  Scale,
  Fill,
  Batch,
  Keys,
  KeyBits,
  ValueBits,
  Multiplicities,
  FailureKeys,
  Searches,
  FeaturePoints,
  Bases,
  QueryBases,
  BasisCells,
  EdgeStep,
  LeastShare,
  PictureSide,
  Clutter,
  Noise,
  RecordingScale,
  RecordingAxes,
  RecordingShift,
  RawFields,       // all that a raw file does not say of itself
  RawSizeAndType,  // of these, the size and the type
  RawSize,         // with an example of its value
  RawType,         // likewise
  ByteOrderAndOffset,
  Resolution,       // followed by its value
  LowerResolution,  // without one
  WantedResolution,
  ClipBox,
  // What a user can do about a problem.
  UseCpu,
  AllowMoreMemory,
  LowerEdgeStep,
  VerifyFile,
  DescribeScene,
  SayWhatIsUp,
  NameTextureFolder,
  ReadOutsideFiles,
  MakeDag,
  MakeBricks,
  MakeHash,
  LeaveBricksOut,
  LeaveMaterialsOut,
  Overwrite,
  AcceptDamage,
  ListCommands,
};

// The words of the program for this, or the library's where the program has set none.
std::string phrase(Phrase what);

// Sets the words of a program for all phrases; nullptr brings the library's back.
using PhraseWords = std::string_view (*)(Phrase);
void set_phrases(PhraseWords words);

}  // namespace vox
