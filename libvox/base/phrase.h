// The phrases by which messages name the things that a user can set, and the things that a user can do about
// a problem. The library has words of its own for them. A program whose users set them by options installs
// its own words once, before anything else (tools/common/phrases.cpp).
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
  // Things that a user sets, as the subject or the object of a sentence.
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
  RawFields,       // everything that a raw file does not say about itself
  RawSizeAndType,  // only the size and the type
  RawSize,         // with an example of its value
  RawType,         // with an example of its value
  ByteOrderAndOffset,
  Resolution,       // followed by its value
  LowerResolution,  // not followed by a value
  WantedResolution,
  ClipBox,
  // Things that a user can do about a problem.
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

// Returns the program's words for this phrase, or the library's if the program has set none.
std::string phrase(Phrase what);

// Sets a program's words for all phrases. nullptr restores the library's words.
using PhraseWords = std::string_view (*)(Phrase);
void set_phrases(PhraseWords words);

}  // namespace vox
