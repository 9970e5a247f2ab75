// The only file that knows CLI11. Covered by tests/cli/options_test.cpp.
#include "runtime/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace gpx::cli {
namespace {

/// A number above 0, as CLI11 checks it: the text that it returns is the error.
CLI::Validator positive_seconds() {
  return {[](const std::string& text) {
            double seconds = 0;
            return CLI::detail::lexical_cast(text, seconds) && seconds > 0 && std::isfinite(seconds)
                       ? std::string()
                       : "'" + text + "' is not a number of seconds above 0";
          },
          ""};
}

/// CLI11 takes -4 for 2^64 - 4.
CLI::Validator seed_number() {
  return {[](const std::string& text) {
            std::uint64_t seed = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
            return error == std::errc() && end == text.data() + text.size()
                       ? std::string()
                       : "'" + text + "' is not a seed: a whole number from 0 to 2^64 - 1";
          },
          ""};
}

struct Parser {
  CLI::App app{"gpx: experiments on how GPUs work, on a real or a virtual GPU", "gpx"};
  Options options;
  bool version = false;
  std::map<CLI::App*, Command> commands;

  CLI::App* add(Command command, const std::string& name, const std::string& what) {
    CLI::App* sub = app.add_subcommand(name, what);
    commands[sub] = command;
    return sub;
  }
  void add_device_option(CLI::App* sub) {
    sub->add_option("--device", options.device,
                    "auto, cuda, cuda:1, a virtual device's name, or a device file")
        ->type_name("NAME");
    sub->add_option("--seed", options.seed, "Seed of a virtual GPU's noise")
        ->type_name("N")
        ->check(seed_number());
  }
  void add_device_options(CLI::App* sub) {
    add_device_option(sub);
    sub->add_option("--set", options.settings, "Give a parameter another value: --set repeat=5")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
  }
  void add_run() {
    CLI::App* sub = add(Command::run, "run", "Run experiments and report what they show");
    sub->add_option("FILE", options.files, "Experiment files; - is standard input")->required();
    add_device_options(sub);
    add_outputs(sub);
    add_store_options(sub, true);
    sub->add_option("--dump", options.dump, "Show stages: ast,experiment,kernel,cuda,ptx,sass,…")
        ->type_name("STAGES")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_report_options(sub);
  }
  void add_report_options(CLI::App* sub) {
    CLI::Option* quiet = sub->add_flag("--quiet,-q", options.quiet, "No report and no progress");
    sub->add_flag("--verbose,-v", options.verbose,
                  "All expectations and provenance; progress as lines where there is no terminal")
        ->excludes(quiet);
    sub->add_flag_callback(
        "--plot", [this] { options.plot = true; },
        "Draw curves in the report (this is the default)");
    sub->add_flag_callback(
           "--no-plot", [this] { options.plot = false; }, "Draw no curves")
        ->excludes("--plot");
  }
  void add_predict() {
    CLI::App* sub = add(Command::predict, "predict",
                        "Predict the time of a CUDA kernel by the MWP/CWP model, and say why");
    sub->add_option("FILE", options.files, "The kernel's file")->required()->expected(1);
    PredictRequest& request = options.predict;
    sub->add_option("--entry", request.entry, "The kernel's function")
        ->required()
        ->type_name("NAME");
    sub->add_option("--grid", request.grid, "Blocks")
        ->required()
        ->delimiter(',')
        ->type_name("X[,Y]")
        ->expected(1, 2);
    sub->add_option("--block", request.block, "Threads of a block")
        ->required()
        ->delimiter(',')
        ->type_name("X[,Y]")
        ->expected(1, 2);
    const auto texts = [&](const char* name, std::vector<std::string>& out, const char* type,
                           const char* what) {
      sub->add_option(name, out, what)->type_name(type)->allow_extra_args(false);
    };
    texts("--arg", request.arguments, "NAME=VALUE", "A scalar argument");
    texts("--buffer", request.buffers, "NAME=SIZE[:CONTENTS]",
          "A pointer argument: hash, zero, index, index(STEP), uniform(A, B) or a number");
    texts("--machine", request.machine, "NAME=NUMBER",
          "A parameter of the model in place of the fitted one: Mem_LD, Mem_Bandwidth, …");
    sub->add_option("--shared", request.shared_bytes, "Dynamic shared memory of a block")
        ->type_name("BYTES");
    sub->add_option("--registers", request.registers, "Registers of a thread")->type_name("N");
    sub->add_option("--device", options.device, "auto, cuda, cuda:1, a virtual device's name, …")
        ->type_name("NAME");
    sub->add_flag("--measure", request.measure, "Run the kernel too, and show the error");
    sub->add_flag("--fit", request.fit_anew, "Fit the model to the device anew");
    sub->add_flag("--quiet,-q", options.quiet, "No report and no notes");
    sub->add_option("--json", options.json, "Write the prediction as JSON; - is standard output")
        ->type_name("PATH");
  }
  void add_characterize() {
    CLI::App* sub = add(Command::characterize, "characterize",
                        "Measure everything that can be measured of a device, in one table");
    add_device_option(sub);
    sub->add_option("--only", options.only, "Groups or families of groups: memory,clock")
        ->type_name("GROUPS")
        ->delimiter(',')
        ->allow_extra_args(false);
    sub->add_option("--budget", options.budget_s,
                    "Seconds after which no group begins or goes on (default: none)")
        ->type_name("SECONDS")
        ->check(positive_seconds());
    sub->add_option("--json", options.json, "Write the results as JSON; - is standard output")
        ->type_name("PATH");
    sub->add_flag("--quiet,-q", options.quiet, "No report and no progress");
    sub->add_flag("--list", options.list_groups, "Say which groups there are, and measure nothing");
  }
  CLI::App* add_picture(Command command, const std::string& name, const std::string& what,
                        const std::string& output, const std::string& type) {
    CLI::App* sub = add(command, name, what);
    sub->add_option("RUN", options.runs,
                    "Documents of gpx run --json, or runs of the store; - is standard input")
        ->required();
    sub->add_option("--output,-o", options.output, output)->type_name(type)->required();
    add_store_options(sub, false);
    return sub;
  }
  void add_pictures() {
    add_picture(Command::report, "report", "Make one HTML page of runs, for a browser",
                "The page; - is standard output", "FILE.html");
    CLI::App* plot =
        add_picture(Command::plot, "plot", "Draw a plot of runs as a picture (needs gnuplot)",
                    "The picture: its name ends in .svg, .png or .pdf", "FILE");
    plot->add_option_function<std::size_t>(
            "--plot",
            [this](std::size_t number) {
              options.plot_number = number;
              options.plot_given = true;
            },
            "Which plot, from 1 in the order of the report")
        ->type_name("N");
  }
  void add_store_options(CLI::App* sub, bool writes) {
    CLI::Option* store =
        sub->add_option("--store", options.store,
                        "The store (default: $GPX_STORE, gpx.db if it lies here, else the user's)")
            ->type_name("FILE");
    if (writes)
      sub->add_flag("--no-store", options.no_store, "Do not keep this run")->excludes(store);
  }
  void add_stored_run(CLI::App* sub, int count) {
    sub->add_option("RUN", options.runs, "A run's number, the beginning of its id, or last")
        ->required()
        ->expected(count);
  }
  void add_store_commands() {
    CLI::App* runs = add(Command::runs, "runs", "List the runs of the store, newest first");
    runs->add_option("--limit", options.limit, "At most so many; 0: all")
        ->type_name("N")
        ->capture_default_str();
    runs->add_option("--device", options.of_device, "Only of devices with this in their name")
        ->type_name("NAME");
    runs->add_option("--experiment", options.of_experiment,
                     "Only of experiments with this in their name")
        ->type_name("NAME");
    runs->add_flag("--json", options.as_json, "As JSON");
    add_store_options(runs, false);
    CLI::App* show = add(Command::show, "show", "Show a stored run as it was reported");
    add_stored_run(show, 1);
    CLI::Option* json =
        show->add_flag("--json", options.as_json, "As the document of gpx run --json");
    show->add_flag("--samples", options.samples, "Its samples, as CSV")->excludes(json);
    add_report_options(show);
    add_store_options(show, false);
    CLI::App* diff =
        add(Command::diff, "diff", "Compare two runs: which findings and curves differ");
    add_stored_run(diff, 2);
    add_store_options(diff, false);
    add_transfer();
    add_repeats();
  }
  void add_lua() {
    CLI::App* lua = add(Command::lua, "lua", "Run a Lua script that runs and compares experiments");
    lua->add_option("SCRIPT", options.files, "A Lua file")->required()->expected(1);
    lua->add_option("--device", options.device, "Where a run of the script names none")
        ->type_name("NAME");
    lua->add_option("--seed", options.seed, "Seed of a virtual GPU's noise")
        ->type_name("N")
        ->check(seed_number());
    lua->add_flag("--trust", options.trust,
                  "Let the script use files, processes and all of Lua, without a budget");
    add_store_options(lua, true);
  }
  void add_transfer() {
    CLI::App* out = add(Command::export_run, "export", "Write a stored run to a file");
    add_stored_run(out, 1);
    CLI::Option* csv = out->add_flag("--csv", options.as_csv, "Its samples, as CSV");
    out->add_flag("--json", options.as_json, "All of it, as gpx import reads it (the default)")
        ->excludes(csv);
    out->add_option("--output,-o", options.output, "The file; - is standard output")
        ->type_name("PATH")
        ->default_val("-");
    add_store_options(out, false);
    CLI::App* in = add(Command::import_run, "import", "Take runs that gpx export wrote");
    in->add_option("FILE", options.files, "Files of gpx export; - is standard input")->required();
    add_store_options(in, false);
  }
  void add_repeats() {
    CLI::App* rerun = add(Command::rerun, "rerun", "Run the text of a stored run once more");
    add_stored_run(rerun, 1);
    rerun
        ->add_option_function<std::string>(
            "--device",
            [this](const std::string& name) {
              options.device = name;
              options.device_given = true;
            },
            "On another device than then")
        ->type_name("NAME");
    CLI::App* resume = add(Command::resume, "resume", "Go on with a run that ended early");
    CLI::Option* last = resume->add_flag("--last", options.last, "The last run that ended early");
    resume->add_option("RUN", options.runs, "A run's number, the beginning of its id, or last")
        ->expected(1)
        ->excludes(last);
    for (CLI::App* sub : {rerun, resume}) {
      add_outputs(sub);
      add_report_options(sub);
      add_store_options(sub, false);
    }
  }
  void add_outputs(CLI::App* sub) {
    sub->add_option("--json", options.json, "Write the results as JSON; - is standard output")
        ->type_name("PATH");
    sub->add_option("--csv", options.csv, "Write the samples as CSV; - is standard output")
        ->type_name("PATH");
    sub->add_option("--report", options.report,
                    "Write a report for a browser as one HTML file; - is standard output")
        ->type_name("PATH");
  }
  void add_explain() {
    CLI::App* sub = add(Command::explain, "explain",
                        "Show what a point of a sweep becomes: kernel, CUDA, PTX, machine code");
    sub->add_option("FILE[:POINT]", options.files,
                    "An experiment file; POINT is a number from 0, or axis=value,...")
        ->required()
        ->expected(1);
    add_device_options(sub);
  }
  void add_text_commands() {
    CLI::App* check = add(Command::check, "check", "Check experiment files without running them");
    check->add_option("FILE", options.files, "Experiment files; - is standard input")->required();
    CLI::App* fmt = add(Command::fmt, "fmt", "Put experiment files into the standard format");
    fmt->add_option("FILE", options.files, "Experiment files; - formats standard input")
        ->required();
    fmt->add_flag("--check", options.only_check, "Change nothing; status 1 if a file would change");
    fmt->add_flag("--stdout", options.to_stdout, "Print the result instead of changing the file");
    CLI::App* list =
        add(Command::list, "list", "List experiments (default: those that come along)");
    list->add_option("PATH", options.files, "Files and folders");
    list->add_flag("--json", options.as_json, "As JSON");
  }
  Parser() {
    app.require_subcommand(0, 1);
    app.add_flag("--version", version, "Print the version");
    add_run();
    add_predict();
    add_characterize();
    add_pictures();
    add_explain();
    add_text_commands();
    add_store_commands();
    add_lua();
    CLI::App* repl = add(Command::repl, "repl", "Type experiments and see their results");
    add_device_options(repl);
    CLI::Option* quiet =
        repl->add_flag("--quiet,-q", options.quiet, "No greeting, no reports and no progress");
    repl->add_flag("--verbose,-v", options.verbose, "All expectations and provenance")
        ->excludes(quiet);
    add_store_options(repl, true);
    add(Command::lsp, "lsp", "Serve an editor: the language server, on standard input and output");
    add(Command::devices, "devices", "List the real and virtual GPUs that can be used");
    add(Command::doctor, "doctor", "Say what gpx found on this machine, and what it lacks");
    add_shell_commands();
    for (const auto& [sub, command] : commands) add_talk(sub);
    app.footer([] {
      std::string text;
      for (const HelpSection& each : help_sections())
        text += (text.empty() ? "" : "\n") + std::string(each.heading) + ":\n" + each.text;
      return text;
    });
  }
  void add_shell_commands() {
    CLI::App* sub = add(Command::completions, "completions",
                        "Print a shell's completions of gpx, to be kept where it looks for them");
    sub->add_option("SHELL", options.completions_of,
                    "bash, zsh or fish; devices, experiments or runs: those words alone")
        ->required();
    add(Command::man, "man", "Print the manual page (gpx man | man -l -)");
  }
  /// What every command takes: those that say more of the two have them already.
  void add_talk(CLI::App* sub) {
    CLI::Option* quiet = sub->get_option_no_throw("--quiet");
    if (!quiet)
      quiet = sub->add_flag("--quiet,-q", options.quiet,
                            "No progress and no notes: what was asked for, and errors");
    if (!sub->get_option_no_throw("--verbose"))
      sub->add_flag("--verbose,-v", options.verbose, "Say more of what is done")->excludes(quiet);
  }
};

OptionInfo info_of(const CLI::Option& option) {
  OptionInfo info;
  if (option.get_positional()) {
    info.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
    if (option.get_items_expected_max() > 0) info.value = option.get_type_name();
  }
  info.help = option.get_description();
  info.required = option.get_required();
  info.repeated = option.get_items_expected_max() > 1;
  return info;
}

CommandInfo info_of(const CLI::App& app) {
  CommandInfo info{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? info.arguments : info.options).push_back(info_of(*option));
  return info;
}

std::vector<std::string> names(const CLI::App& app, bool options) {
  std::vector<std::string> out;
  if (options) {
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  } else {
    for (const CLI::App* sub : app.get_subcommands({})) out.push_back(sub->get_name());
  }
  return out;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  const auto near = nearest(word, candidates);
  return near ? "did you mean '" + *near + "'?" : std::string();
}

bool looks_like_experiment(const std::string& word) {
  return word == "-" || (word.size() > 4 && word.compare(word.size() - 4, 4, ".gpx") == 0);
}

Error unknown_argument(const CLI::App& app) {
  const auto subcommands = app.get_subcommands();
  const CLI::App& where = subcommands.empty() ? app : *subcommands.front();
  std::vector<std::string> rest = where.remaining();
  if (rest.empty()) rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  if (word.size() > 1 && word[0] == '-') {
    const std::string name = word.substr(0, word.find('='));
    return make_error(Fault::input, "unknown option '" + name + "'",
                      suggestion(name, names(where, true)));
  }
  if (!subcommands.empty())
    return make_error(Fault::input,
                      "'gpx " + where.get_name() + "' takes no argument '" + word + "'");
  if (looks_like_experiment(word))
    return make_error(Fault::input, "'" + word + "' is not a command", "gpx run " + word);
  std::string hint = suggestion(word, names(app, false));
  if (hint.empty()) hint = "gpx --help lists the commands";
  return make_error(Fault::input, "unknown command '" + word + "'", hint);
}

std::string lower_first(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
  return text;
}

}  // namespace

std::vector<CommandInfo> command_table() {
  const Parser parser;
  std::vector<CommandInfo> table = {info_of(parser.app)};
  for (const CLI::App* sub : parser.app.get_subcommands([](const CLI::App*) { return true; }))
    table.push_back(info_of(*sub));
  return table;
}

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Parser parser;
  try {
    // CLI11 takes the words last first.
    parser.app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    parser.options.command = Command::help;
    parser.options.text = parser.app.help();
    return parser.options;
  } catch (const CLI::ExtrasError&) {
    return tl::unexpected<Error>(unknown_argument(parser.app));
  } catch (const CLI::ParseError& error) {
    return fail(Fault::input, lower_first(error.what()), "gpx --help");
  }
  const auto subcommands = parser.app.get_subcommands();
  if (!subcommands.empty()) {
    parser.options.command = parser.commands.at(subcommands.front());
    parser.options.command_given = true;
  }
  if (parser.version) parser.options.command = Command::version;
  return parser.options;
}

}  // namespace gpx::cli
