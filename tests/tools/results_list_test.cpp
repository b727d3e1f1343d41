// Tests docs/results.md, which lists what the tools write: every key and path with its unit, and no others.
#include <cstdlib>

#include "tests/tools/program.h"

namespace vox {
namespace {

// Compares the list with the files in the folder. Each file is named after the section that lists its
// contents: "vox-edit --check.1.json".
constexpr const char* kCompare = R"py(
import glob, json, re
sections, words, name = {}, {}, ''
for line in open('list.md', encoding='utf-8'):
    if line.startswith('#'):
        name = line.strip('# \n')
    elif line.startswith('|') and not line.startswith('|---'):
        cells = [cell.strip() for cell in line.split('|')[1:-1]]
        if name.startswith('What the tools'):
            words[cells[0]] = re.findall('`(.*?)`', cells[1])
        elif cells[0] != 'key':  # the names in JSON and in a report
            for section, cell in ((name, cells[0]), (name + ' -o', cells[1])):
                if cell: sections.setdefault(section, []).append((cell, cells[2]))

# A name of the list as an expression: words in capitals are any of what they stand for.
def expression(key):
    parts = re.split(r'\b([A-Z]+)\b|(?<=_)(N)', key)
    text = ''
    for part in filter(None, parts):
        if part == 'N': text += '[0-9]+'
        elif part == 'TOOL': text += '[a-z ]+'
        elif part in words: text += '(?:' + '|'.join(words[part]) + ')'
        else: text += re.escape(part)
    return text

# (name, unit) of all names of a section, with those of the sections that it links to.
def names(section, prefix=''):
    for cell, unit in sections[section]:
        before = prefix + ''.join(re.findall('`(.*?)`', cell))
        link = re.search(r'\[(.*?)\]', re.sub('`.*?`', '', cell))
        if link: yield from names(link.group(1) + (' -o' if section.endswith(' -o') else ''), before)
        else: yield before, unit

def keys(value, path, out):
    if isinstance(value, dict):
        for key, inner in value.items(): keys(inner, (path + '.' if path else '') + key, out)
    elif isinstance(value, list):
        if value and not isinstance(value[0], dict): out[path] = None
        for inner in value:
            if isinstance(inner, dict): keys(inner, path + '[]', out)
    else:
        out[path] = None

def paths(file, out):
    import h5py
    def unit(attributes, name):
        return attributes[name].decode() if name in attributes else ''
    def visit(path, item):
        for key in item.attrs:
            if not key.endswith('_unit') and key != 'unit':
                out['/' + path + '@' + key] = unit(item.attrs, key + '_unit')
        if isinstance(item, h5py.Dataset): out['/' + path] = unit(item.attrs, 'unit')
    report = h5py.File(file, 'r')
    visit('', report)
    report.visititems(visit)

faults, linked = [], set(re.findall(r'\]\(#(.*?)\)', open('list.md', encoding='utf-8').read()))
for section in sections:
    if section.removesuffix(' -o').replace(' ', '-') in linked: continue
    if section.startswith(('every ', 'a comparison')): continue
    written = {}
    for file in sorted(glob.glob(section + '.[0-9]*.*')):
        if file.endswith('.json'): keys(json.load(open(file)), '', written)
        else: paths(file, written)
    # The results of a part are those of its command, which another section lists.
    if section.startswith('vox-bench all'):
        written = {name: unit for name, unit in written.items() if not re.match('/?(ages|boolean|building)[./@]', name)}
    wanted, end = list(names(section)), ' -o' if section.endswith(' -o') else ''
    if end: wanted += names('every report -o')
    if section.startswith('vox-bench'):
        wanted += names('every benchmark' + end)
        if any('against' in name for name in written): wanted += names('a comparison' + end)
    listed = [(key, re.compile(expression(key)), unit) for key, unit in wanted]
    for key, pattern, unit in listed:
        found = [name for name in written if pattern.fullmatch(name)]
        if not found: faults.append(section + ' writes no ' + key)
        faults += [f'{section}: the unit of {name} is "{written[name]}", listed is "{unit}"'
                   for name in found if written[name] not in (None, unit)]
    faults += [section + ' writes ' + name + ', which is not listed' for name in written
               if not any(pattern.fullmatch(name) for _, pattern, _ in listed)]
print('\n'.join(faults) if faults else 'as listed: ' + str(len(sections)) + ' sections')
)py";

class ResultsList : public CubesTest {
 protected:
  // Stores the output of a program as the file of a section.
  void keep(const std::string& file, const std::string& program, std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--json", "-q"});
    const Finished run = run_program(program, arguments, {.folder = folder_, .file_size_limit = {}});
    EXPECT_FALSE(run.out.empty()) << file << run.err;
    write(file, run.out);
  }

  void convert_all() const {
    const std::vector<std::string> mesh = {"cube.obj", "--res", "32", "--structure", "svdag,bricks,hash"};
    std::vector<std::string> arguments = mesh;
    arguments.insert(arguments.end(), {"-o", "both.h5", "--verify", "--profile"});
    keep("vox-convert.1.json", "vox-convert", arguments);
    std::string values;
    for (int i = 0; i < 20 * 9 * 7; ++i) values += static_cast<char>(i % 251);
    write("some_20x9x7_uint8.raw", values);
    keep("vox-convert.2.json", "vox-convert", {"some_20x9x7_uint8.raw", "-o", "volume.h5"});
    write("painted.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n");
    write("strokes.txt", "stroke color #c03020 radius 0.2 at 0.2,0.2,0\n");
    keep("vox-convert.3.json", "vox-convert",
         {"painted.obj", "--res", "32", "--paint", "strokes.txt", "-o", "painted.h5"});
    keep("vox-convert.4.json", "vox-convert",
         {"cube.obj", "--res", "32", "--spill", "host", "-o", "spilled.h5"});
    keep("vox-convert.5.json", "vox-convert",
         {"cube.obj", "--res", "32", "--device", "cpu,cpu", "-o", "together.h5"});
    keep("vox-convert.6.json", "vox-convert",
         {"cube.obj", "painted.obj", "--res", "32", "--combine", "union", "-o", "combined.h5"});
    keep("vox-convert.7.json", "vox-convert",
         {"cube.obj", "--res", "32", "--materials", "colors", "--normals", "-o", "colors.h5"});
    keep("vox-convert.8.json", "vox-convert",
         {"cube.obj", "--res", "32", "--materials", "none", "-o", "plain.h5"});
    keep("vox-convert.9.json", "vox-convert", {"plain.h5", "--lossy", "5%", "-o", "lossy.h5"});
    keep("vox-convert.10.json", "vox-convert",
         {"plain.h5", "--structure", "symmetric", "-o", "symmetric.h5"});
    keep("vox-convert.11.json", "vox-convert",
         {"cube.obj", "--res", "32", "--materials", "mesh", "--palette-size", "17", "-o", "named.h5"});
    keep("vox-convert.12.json", "vox-convert", {"colors.h5", "--info"});
  }

  void edit_all() const {
    write("edits.txt", "sphere add center 9,9,9 radius 4 material 1\nbox remove min 0,0,0 max 9,9,9\ngc\n");
    write("wrong.txt", "sphere\n");
    keep("vox-edit.1.json", "vox-edit",
         {"both.h5", "--script", "edits.txt", "-o", "edited.h5", "--log", "vox-edit -o.1.h5", "--profile"});
    write("carve.txt", "box remove min 0,0,0 max 9,9,9\n");
    keep("vox-edit.2.json", "vox-edit", {"named.h5", "--script", "carve.txt", "-o", "carved.h5"});
    write("values.txt", "set 9 in box min 0,0,0 max 4,4,4\n");
    keep("vox-edit of a volume.1.json", "vox-edit",
         {"volume.h5", "--script", "values.txt", "-o", "changed.h5", "--log", "vox-edit of a volume -o.1.h5",
          "--profile"});
    keep("vox-edit --check.1.json", "vox-edit", {"both.h5", "--script", "edits.txt", "--check"});
    keep("vox-edit --check.2.json", "vox-edit", {"both.h5", "--script", "wrong.txt", "--check"});
  }

  void measure_all() const {
    keep("vox-stats.1.json", "vox-stats",
         {"both.h5", "--tables", "all", "--load-factor", "16,96", "--geometry", "--times", "--profile", "-o",
          "vox-stats -o.1.h5"});
    keep("vox-bench hash.1.json", "vox-bench",
         {"hash", "--scale", "1/8192", "--item-words", "2", "-o", "vox-bench hash -o.1.h5"});
    keep("vox-bench keys.1.json", "vox-bench",
         {"keys", "--scale", "1/16384", "--failures", "2", "--tables", "lines,cuckoo2009", "--load-factors",
          "0.7", "--ops", "build,find,find-all,ages,build-multi", "--profile", "-o",
          "vox-bench keys -o.1.h5"});
    keep("vox-bench keys.2.json", "vox-bench",
         {"keys", "--scale", "1/16384", "--tables", "lines", "--load-factors", "0.7", "--sets", "painted",
          "--ops", "find-view"});
    convert({"cube.obj", "--res", "32", "-o", "bare.h5", "--materials", "none", "--force", "-q"});
    keep("vox-stats.3.json", "vox-stats", {"both.h5", "--only", "compression", "-o", "vox-stats -o.3.h5"});
    keep("vox-stats.4.json", "vox-stats", {"colors.h5", "--only", "compression", "-o", "vox-stats -o.4.h5"});
    keep("vox-stats of several files.1.json", "vox-stats",
         {"both.h5", "volume.h5", "--only", "bricks", "-o", "vox-stats of several files -o.1.h5"});
    keep("vox-stats --against.1.json", "vox-stats", {"both.h5", "--against", "both.h5", "--profile"});
    keep("vox-stats --against.2.json", "vox-stats", {"both.h5", "--against", "bare.h5"});
    keep("vox-bench all.1.json", "vox-bench",
         {"all", "--parts", "ages", "--scale", "small", "-o", "vox-bench all -o.1.h5"});
    keep("vox-bench all.2.json", "vox-bench",
         {"all", "--parts", "boolean", "--memory-limit", "100K", "-o", "vox-bench all -o.2.h5"});
    keep("vox-bench all.3.json", "vox-bench",
         {"all", "--parts", "building", "--scale", "small", "-o", "vox-bench all -o.3.h5"});
    keep("vox-bench intersect.1.json", "vox-bench",
         {"intersect", "--triangles", "100", "--res", "16", "--frames", "2", "-o",
          "vox-bench intersect -o.1.h5"});
    keep("vox-bench intersect.2.json", "vox-bench",
         {"intersect", "--triangles", "100", "--res", "16", "--frames", "2", "--boolean", "union", "-o",
          "vox-bench intersect -o.2.h5"});
    keep("vox-bench forms.1.json", "vox-bench",
         {"forms", "both.h5", "--gathers", "64", "--means", "64", "--picture", "8", "--repetitions", "1",
          "--brick-sizes", "4", "-o", "vox-bench forms -o.1.h5"});
    keep("vox-bench compression.1.json", "vox-bench",
         {"compression", "cube.obj", "--res", "16,32", "-o", "vox-bench compression -o.1.h5"});
    keep("vox-bench machine.1.json", "vox-bench",
         {"machine", "--memory", "1", "--disk-size", "1", "--repetitions", "1", "--tests", "copy,read,sort",
          "-o", "vox-bench machine -o.1.h5"});
    keep("vox-bench convert.1.json", "vox-bench",
         {"convert", "cube.obj", "--res", "16", "--repetitions", "1", "--write", ".", "--profile", "-o",
          "vox-bench convert -o.1.h5"});
    keep("vox-bench edit.1.json", "vox-bench",
         {"edit", "both.h5", "--radii", "3", "--sides", "4", "--copies", "2", "--small", "3", "--repetitions",
          "1", "--tables", "sector,accel8", "--processor", "--profile", "-o", "vox-bench edit -o.1.h5"});
    keep("vox-bench edit.2.json", "vox-bench",
         {"edit", "both.h5", "--radii", "3", "--series", "spheres", "--repetitions", "1", "--against",
          "vox-bench edit.1.json", "-o", "vox-bench edit -o.2.h5"});
    keep("vox-bench match.1.json", "vox-bench",
         {"match", "--side", "256", "--repetitions", "1", "--tables", "robin", "-o",
          "vox-bench match -o.1.h5"});
    keep("vox-bench rays.1.json", "vox-bench",
         {"rays", "both.h5", "--tables", "ticket", "--picture", "8", "--edits", "2", "--radius", "2",
          "--repetitions", "1", "-o", "vox-bench rays -o.1.h5"});
    keep("vox-bench bricks.1.json", "vox-bench",
         {"bricks", "volume.h5", "--gathers", "64", "--picture", "8", "--repetitions", "1", "--brick-sizes",
          "4", "--trade-off", "2", "-o", "vox-bench bricks -o.1.h5"});
  }

  void show_all() const {
    keep("vox-render.1.json", "vox-render", {"both.h5", "-o", "a.png", "--size", "16x16", "--profile"});
    keep("vox-render.2.json", "vox-render", {"both.h5", "-o", "b.png", "--slice", "z=3"});
    keep("vox-render.3.json", "vox-render", {"volume.h5", "-o", "c.png", "--size", "16x16", "--up", "z"});
    keep("vox-render.4.json", "vox-render", {"volume.h5", "-o", "d.png", "--slice", "z=3"});
    keep("vox-render.5.json", "vox-render", {"both.h5", "--html", "view.html"});
    keep("vox-render.6.json", "vox-render", {"both.h5", "--html", "view", "--stream"});
    keep("vox-scene.1.json", "vox-scene",
         {"bumpy-sphere", "--triangles", "100", "--texture-size", "16", "-o", "s.glb"});
  }
};

TEST_F(ResultsList, IsWhatTheToolsWriteAndNothingElse) {
  const char* docs = std::getenv("VOX_DOCS");
  if (docs == nullptr) GTEST_SKIP() << "VOX_DOCS names no folder";
  const std::string list = read_bytes(std::filesystem::path(docs) / "results.md");
  write("list.md", list);
  convert_all();
  edit_all();
  measure_all();
  show_all();
  EXPECT_EQ(python(kCompare).substr(0, 10), "as listed:") << read_bytes(folder_ / "python.out");

  // A wrong name or unit is found in both directions.
  std::string wrong = list;
  const std::string unit = "`/hash@seconds` | s |", key = "`garbage.collections`";
  wrong.replace(wrong.find(unit), unit.size(), "`/hash@seconds` | ms |");
  wrong.replace(wrong.find(key), key.size(), "`garbage.others`");
  write("list.md", wrong);
  EXPECT_EQ(python(kCompare),
            "vox-edit writes no garbage.others\n"
            "vox-edit writes garbage.collections, which is not listed\n"
            "vox-bench hash -o: the unit of /hash@seconds is \"s\", listed is \"ms\"\n");
}

}  // namespace
}  // namespace vox
