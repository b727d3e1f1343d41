#include "tools/common/phrases.h"

namespace vox {

std::string_view tool_words(Phrase phrase) {
  switch (phrase) {
    case Phrase::Device:
      return "--device";
    case Phrase::Tables:
      return "--tables";
    case Phrase::ItemWords:
      return "--item-words";
    case Phrase::LoadFactor:
      return "--load-factor";
    case Phrase::LoadFactors:
      return "--load-factors";
    case Phrase::HitRates:
      return "--hit-rates";
    case Phrase::Repetitions:
      return "--repetitions";
    case Phrase::Scale:
    case Phrase::RecordingScale:
      return "--scale";
    case Phrase::Fill:
      return "--fill";
    case Phrase::Batch:
      return "--batch";
    case Phrase::Keys:
      return "--keys";
    case Phrase::KeyBits:
      return "--key-bits";
    case Phrase::ValueBits:
      return "--value-bits";
    case Phrase::Multiplicities:
      return "--multiplicities";
    case Phrase::FailureKeys:
      return "--failure-keys";
    case Phrase::Searches:
      return "--searches";
    case Phrase::FeaturePoints:
      return "--points";
    case Phrase::Bases:
      return "--bases";
    case Phrase::QueryBases:
      return "--query-bases";
    case Phrase::BasisCells:
      return "--cells";
    case Phrase::EdgeStep:
      return "--edge-step";
    case Phrase::LeastShare:
      return "--least-share";
    case Phrase::PictureSide:
      return "--side";
    case Phrase::Clutter:
      return "--clutter";
    case Phrase::Noise:
      return "--noise";
    case Phrase::RecordingAxes:
      return "--swizzle";
    case Phrase::RecordingShift:
      return "--shift";
    case Phrase::RawFields:
      return "--dims, --type, --endian and --offset";
    case Phrase::RawSizeAndType:
      return "--dims and --type";
    case Phrase::RawSize:
      return "--dims X,Y,Z";
    case Phrase::RawType:
      return "--type, such as u8, i16 or f32";
    case Phrase::ByteOrderAndOffset:
      return "--endian and --offset";
    case Phrase::Resolution:
    case Phrase::LowerResolution:
    case Phrase::WantedResolution:
      return "--res";
    case Phrase::ClipBox:
      return "--clip";
    case Phrase::UseCpu:
      return "use --device cpu";
    case Phrase::AllowMoreMemory:
      return "raise --memory-limit";
    case Phrase::LowerEdgeStep:
      return "lower --edge-step";
    case Phrase::VerifyFile:
      return "vox-convert --verify says more";
    case Phrase::DescribeScene:
      return "vox-convert SCENE.h5 --info";
    case Phrase::SayWhatIsUp:
      return "--up says which axis points up";
    case Phrase::ReadOutsideFiles:
      return "--allow-outside reads it";
    case Phrase::NameTextureFolder:
      return "--texture-path DIR names a folder to look in";
    case Phrase::MakeDag:
      return "vox-convert --structure svdag makes one of it";
    case Phrase::MakeBricks:
      return "make them with --structure bricks or both";
    case Phrase::MakeHash:
      return "make one with --structure hash";
    case Phrase::LeaveBricksOut:
      return "--drop-bricks leaves them out";
    case Phrase::LeaveMaterialsOut:
      return "vox-convert --materials none makes scenes without";
    case Phrase::Overwrite:
      return "--force overwrites it";
    case Phrase::AcceptDamage:
      return "the file is damaged; --force goes on with what it holds";
    case Phrase::ListCommands:
      return "--help lists all of them";
  }
  return "";
}

}  // namespace vox
