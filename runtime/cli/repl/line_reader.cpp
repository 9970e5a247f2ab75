// The only file that knows libedit.
#include "runtime/cli/repl/line_reader.h"

#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cwchar>

#include "runtime/report/style.h"

namespace gpx::cli {
namespace {

std::string without_end(std::string line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return line;
}

class StreamReader : public LineReader {
 public:
  explicit StreamReader(std::FILE* in) : in_(in) {}
  std::optional<Line> read(const std::string&) override {
    char* buffer = nullptr;
    std::size_t capacity = 0;
    const ssize_t length = ::getline(&buffer, &capacity, in_);
    std::optional<Line> line;
    if (length >= 0) line = Line{without_end({buffer, static_cast<std::size_t>(length)})};
    std::free(buffer);
    return line;
  }
  void remember(const std::string&) override {}

 private:
  std::FILE* in_;
};

volatile std::sig_atomic_t interrupt_typed = 0;
volatile std::sig_atomic_t window_changed = 0;
void on_read_signal(int number) {
  (number == SIGINT ? interrupt_typed : window_changed) = 1;
}

/// While a line is read, Ctrl-C ends the read and not the process, and a window of another size
/// gets the line drawn anew. Both arrive in wait_for_input() alone: one that came between a look at
/// the flags and a read would be seen a key late, and cost that key.
class InterruptsRead {
 public:
  InterruptsRead() {
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGWINCH);
    pthread_sigmask(SIG_BLOCK, &both, &mask_before_);
    while_waiting_ = mask_before_;
    sigdelset(&while_waiting_, SIGINT);
    sigdelset(&while_waiting_, SIGWINCH);
    struct sigaction action {};
    action.sa_handler = on_read_signal;
    sigemptyset(&action.sa_mask);
    interrupt_typed = 0;
    sigaction(SIGINT, &action, &interrupt_before_);
    sigaction(SIGWINCH, &action, &window_before_);
  }
  ~InterruptsRead() {
    sigaction(SIGINT, &interrupt_before_, nullptr);
    sigaction(SIGWINCH, &window_before_, nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  InterruptsRead(const InterruptsRead&) = delete;
  InterruptsRead& operator=(const InterruptsRead&) = delete;

  /// Whether there is something to read: false for a signal.
  bool wait_for_input(int descriptor) const {
    pollfd waiting{descriptor, POLLIN, 0};
    return ::ppoll(&waiting, 1, nullptr, &while_waiting_) == 1;
  }

 private:
  struct sigaction interrupt_before_ {
  }, window_before_{};
  sigset_t mask_before_, while_waiting_;
};

bool more_is_typed(int descriptor) {
  pollfd waiting{descriptor, POLLIN, 0};
  return ::poll(&waiting, 1, 0) == 1;
}

class TerminalReader : public LineReader {
 public:
  TerminalReader(std::FILE* in, std::FILE* out, std::FILE* err, std::string history_file,
                 Completer completer)
      : in_(in),
        out_(out),
        history_file_(std::move(history_file)),
        completer_(std::move(completer)) {
    std::setlocale(LC_CTYPE, "");  // libedit converts lines by it.
    history_ = history_init();
    HistEvent event;
    history(history_, &event, H_SETSIZE, 1000);
    history(history_, &event, H_SETUNIQUE, 1);
    for (const std::string& entry : load_history(history_file_))
      history(history_, &event, H_ENTER, entry.c_str());
    edit_ = el_init("gpx", in, out, err);
    el_set(edit_, EL_CLIENTDATA, this);
    el_set(edit_, EL_PROMPT, &TerminalReader::prompt);
    el_set(edit_, EL_GETCFN, &TerminalReader::next_character);
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_HIST, history, history_);
    el_set(edit_, EL_ADDFN, "gpx-complete", "Complete the word", &TerminalReader::on_tab);
    el_set(edit_, EL_BIND, "^I", "gpx-complete", nullptr);
    el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_set(edit_, EL_BIND, "^W", "ed-delete-prev-word", nullptr);
    for (const auto& [key, action] :
         {std::pair{"\\e[1;5D", "ed-prev-word"}, std::pair{"\\e[1;5C", "em-next-word"},
          std::pair{"\\e[3~", "ed-delete-next-char"}})
      el_set(edit_, EL_BIND, key, action, nullptr);
    el_source(edit_, nullptr);
  }
  ~TerminalReader() override {
    el_end(edit_);
    history_end(history_);
  }

  std::optional<Line> read(const std::string& prompt) override {
    prompt_ = prompt;
    const InterruptsRead signals;
    signals_ = &signals;
    el_resize(edit_);
    columns_ = report::style_of(fileno(out_)).width;
    el_set(edit_, EL_PREP_TERM, 1);  // Before the prompt: what follows it is not echoed twice.
    int count = 0;
    const char* typed = el_gets(edit_, &count);
    if (interrupt_typed) {
      std::fputs("^C\n", out_);
      std::fflush(out_);
      return Line{"", true};
    }
    if (!typed || count <= 0) {
      std::fputs("\n", out_);
      return std::nullopt;
    }
    return Line{without_end({typed, static_cast<std::size_t>(count)})};
  }

  void remember(const std::string& entry) override {
    HistEvent event;
    history(history_, &event, H_ENTER, entry.c_str());
    append_history(history_file_, entry);
  }

 private:
  static TerminalReader* self(EditLine* edit) {
    void* data = nullptr;
    el_get(edit, EL_CLIENTDATA, &data);
    return static_cast<TerminalReader*>(data);
  }
  static char* prompt(EditLine* edit) { return self(edit)->prompt_.data(); }

  /// 1, 0 at the end, -1 for an interrupt. Bytes that are no text become question marks.
  static int next_character(EditLine* edit, wchar_t* character) {
    std::mbstate_t state{};
    for (;;) {
      const int in = fileno(self(edit)->in_);
      const bool ready = self(edit)->signals_->wait_for_input(in);
      if (interrupt_typed) return -1;
      if (window_changed) self(edit)->draw_anew();
      if (!ready) continue;
      char byte = 0;
      const ssize_t got = ::read(in, &byte, 1);
      if (got < 0 && errno != EINTR) return -1;
      if (got == 0) return 0;
      // A NUL is what is left of an end of file that was typed before the line was begun.
      if (got < 0 || byte == '\0') continue;
      const std::size_t length = std::mbrtowc(character, &byte, 1, &state);
      if (length == static_cast<std::size_t>(-2)) continue;
      if (length == static_cast<std::size_t>(-1)) *character = L'?';
      return 1;
    }
  }

  /// A line that the terminal has wrapped cannot be taken back: it is drawn once more beneath.
  void draw_anew() {
    window_changed = 0;
    const LineInfo* line = el_line(edit_);
    const auto length =
        static_cast<int>(prompt_.size()) + static_cast<int>(line->lastchar - line->buffer);
    const int columns = report::style_of(fileno(out_)).width;
    std::fputs(length < std::min(columns, columns_) ? "\r\x1b[J" : "\r\n", out_);
    std::fflush(out_);
    columns_ = columns;
    el_resize(edit_);
    el_set(edit_, EL_REFRESH);
  }

  static unsigned char on_tab(EditLine* edit, int) { return self(edit)->complete_here(); }

  unsigned char complete_here() {
    const LineInfo* line = el_line(edit_);
    const std::string before(line->buffer, line->cursor);
    // A tab of a text that is pasted, or at the beginning of a line, asks for nothing.
    const bool blank = before.find_first_not_of(' ') == std::string::npos;
    if (more_is_typed(fileno(in_)) || (blank && !before.empty()))
      return el_insertstr(edit_, "  ") == 0 ? CC_REFRESH : CC_ERROR;
    const Completion completion = completer_(before);
    if (completion.candidates.empty()) return CC_REFRESH_BEEP;
    const std::string prefix = common_prefix(completion.candidates);
    std::string more = prefix.substr(completion.replaced);
    const bool goes_on = prefix.ends_with('/') || prefix.ends_with('=') || prefix.ends_with('(');
    if (completion.candidates.size() == 1 && !goes_on) more += ' ';
    if (!more.empty()) return el_insertstr(edit_, more.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    list(completion.candidates);
    return CC_REDISPLAY;
  }

  /// The candidates beneath the line, as a paragraph.
  void list(const std::vector<std::string>& candidates) {
    std::string text;
    for (const std::string& candidate : candidates) text += candidate + "  ";
    std::fputs("\n", out_);
    for (const std::string& row : report::wrap(text, report::style_of(fileno(out_)).width - 2))
      std::fprintf(out_, "  %s\n", row.c_str());
    std::fflush(out_);
  }

  std::FILE *in_, *out_;
  std::string history_file_, prompt_;
  int columns_ = 0;                          ///< Of the window when the line was begun.
  const InterruptsRead* signals_ = nullptr;  ///< While a line is read.
  Completer completer_;
  EditLine* edit_ = nullptr;
  History* history_ = nullptr;
};

}  // namespace

std::unique_ptr<LineReader> make_stream_reader(std::FILE* in) {
  return std::make_unique<StreamReader>(in);
}

std::unique_ptr<LineReader> make_terminal_reader(std::FILE* in, std::FILE* out, std::FILE* err,
                                                 std::string history_file, Completer completer) {
  return std::make_unique<TerminalReader>(in, out, err, std::move(history_file),
                                          std::move(completer));
}

}  // namespace gpx::cli
