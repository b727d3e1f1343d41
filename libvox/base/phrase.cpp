#include "libvox/base/phrase.h"

#include <atomic>

namespace vox {
namespace {

std::string_view library_words(Phrase phrase) {
  switch (phrase) {
    case Phrase::Device:
      return "the device";
    case Phrase::Tables:
      return "the list of hash tables";
    case Phrase::ItemWords:
      return "the list of item sizes";
    case Phrase::LoadFactor:
      return "the load factor";
    case Phrase::LoadFactors:
      return "the list of load factors";
    case Phrase::HitRates:
      return "the list of hit rates";
    case Phrase::Repetitions:
      return "the number of repetitions";
    case Phrase::Scale:
      return "the scale";
    case Phrase::Fill:
      return "the fill";
    case Phrase::Batch:
      return "the batch";
    case Phrase::Keys:
      return "the list of numbers of keys";
    case Phrase::KeyBits:
      return "the list of bits of a key";
    case Phrase::ValueBits:
      return "the bits of a value";
    case Phrase::Multiplicities:
      return "the list of numbers of values";
    case Phrase::FailureKeys:
      return "the number of keys of a build";
    case Phrase::Searches:
      return "the number of searches";
    case Phrase::FeaturePoints:
      return "the number of feature points";
    case Phrase::Bases:
      return "the number of bases";
    case Phrase::QueryBases:
      return "the number of the query's bases";
    case Phrase::BasisCells:
      return "the number of cells of a basis";
    case Phrase::EdgeStep:
      return "the step of an edge";
    case Phrase::LeastShare:
      return "the least share of points";
    case Phrase::PictureSide:
      return "the pictures' side";
    case Phrase::Clutter:
      return "the clutter";
    case Phrase::Noise:
      return "the noise";
    case Phrase::RecordingScale:
      return "the scale";
    case Phrase::RecordingAxes:
      return "the order of axes";
    case Phrase::RecordingShift:
      return "the shift";
    case Phrase::RawFields:
      return "size, type, byte order and offset";
    case Phrase::RawSizeAndType:
      return "size and type";
    case Phrase::RawSize:
      return "how many voxels it has along x, y and z";
    case Phrase::RawType:
      return "of what type they are, such as u8 or f32";
    case Phrase::ByteOrderAndOffset:
      return "the byte order and the offset";
    case Phrase::Resolution:
      return "a resolution of";
    case Phrase::LowerResolution:
      return "a lower resolution";
    case Phrase::WantedResolution:
      return "the resolution";
    case Phrase::ClipBox:
      return "a clip box";
    case Phrase::UseCpu:
      return "use the device cpu";
    case Phrase::AllowMoreMemory:
      return "allow more memory";
    case Phrase::LowerEdgeStep:
      return "count smaller steps as edges";
    case Phrase::VerifyFile:
      return "verifying the file says more";
    case Phrase::DescribeScene:
      return "a description of the scene";
    case Phrase::SayWhatIsUp:
      return "the caller can say which axis points up";
    case Phrase::ReadOutsideFiles:
      return "the caller can allow files outside of it";
    case Phrase::NameTextureFolder:
      return "the caller can name a folder to look in";
    case Phrase::MakeDag:
      return "make an SVDAG of it first";
    case Phrase::MakeBricks:
      return "make bricks of it first";
    case Phrase::MakeHash:
      return "make a spatial hash of it first";
    case Phrase::LeaveBricksOut:
      return "the caller can leave them out";
    case Phrase::LeaveMaterialsOut:
      return "make it from a mesh without materials";
    case Phrase::Overwrite:
      return "the caller can allow overwriting it";
    case Phrase::AcceptDamage:
      return "the caller can allow to go on with what it holds";
    case Phrase::ListCommands:
      return "docs/editing.md lists all of them";
  }
  return "";
}

std::atomic<PhraseWords> words = library_words;

}  // namespace

std::string phrase(Phrase what) {
  return std::string(words.load()(what));
}

void set_phrases(PhraseWords program) {
  words = program ? program : library_words;
}

}  // namespace vox
