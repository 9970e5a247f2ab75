// gpx: --entry lengths --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry compare --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry find_text --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry to_upper --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry parse_integer --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry print_integer --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry count_words --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry knuth_morris_pratt --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry palindromes --grid 1 --block 100 --buffer ok=400B expect ok==1
// gpx: --entry edit_distance --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry utf8_lengths --grid 1 --block 32 --buffer ok=128B expect ok==1
// gpx: --entry hexadecimal --grid 1 --block 64 --buffer ok=256B expect ok==1
// gpx: --entry brackets --grid 1 --block 32 --buffer ok=128B expect ok==1
__device__ int length_of(const char* s) {
  int n = 0;
  while (s[n]) ++n;
  return n;
}
__device__ bool same(const char* a, const char* b) {
  for (; *a && *a == *b; ++a, ++b) {
  }
  return *a == *b;
}

extern "C" __global__ void lengths(int* ok) {
  const char* const words[4] = {"", "a", "warp", "reconvergence"};
  const int expected[4] = {0, 1, 4, 13};
  ok[threadIdx.x] = length_of(words[threadIdx.x & 3]) == expected[threadIdx.x & 3];
}

extern "C" __global__ void compare(int* ok) {
  char mine[4] = {'a', (char)('a' + threadIdx.x % 26), 'c', 0};
  ok[threadIdx.x] = same(mine, "abc") == (threadIdx.x % 26 == 1) && !same("ab", "abc");
}

extern "C" __global__ void find_text(int* ok) {
  const char text[] = "the quick brown fox jumps over the lazy dog", word[] = "fox";
  int found = -1;
  for (int i = 0; text[i] && found < 0; ++i) {
    int k = 0;
    while (word[k] && text[i + k] == word[k]) ++k;
    if (!word[k]) found = i;
  }
  ok[threadIdx.x] = found == 16;
}

extern "C" __global__ void to_upper(int* ok) {
  __shared__ char s[32];
  int t = threadIdx.x;
  s[t] = t < 26 ? 'a' + t : '0' + t - 26;
  char c = s[t];
  if (c >= 'a' && c <= 'z') c -= 'a' - 'A';
  ok[t] = c == (t < 26 ? 'A' + t : '0' + t - 26);
}

extern "C" __global__ void parse_integer(int* ok) {
  char digits[8];
  int t = threadIdx.x, value = t * t * t - 1000, left = abs(value), n = 0;
  do digits[n++] = '0' + left % 10;
  while (left /= 10);
  if (value < 0) digits[n++] = '-';
  bool minus = digits[n - 1] == '-';
  int parsed = 0;
  for (int i = minus ? n - 2 : n - 1; i >= 0; --i) parsed = 10 * parsed + digits[i] - '0';
  ok[t] = (minus ? -parsed : parsed) == value;
}

extern "C" __global__ void print_integer(int* ok) {
  unsigned long long value = 1;
  for (int i = 0; i < threadIdx.x % 20; ++i) value *= 10;
  int n = 0;
  char last = 0;
  for (unsigned long long v = value; v; v /= 10) last = '0' + v % 10, ++n;
  ok[threadIdx.x] = n == threadIdx.x % 20 + 1 && last == '1';
}

extern "C" __global__ void count_words(int* ok) {
  const char text[] = "  one two   three  four ";
  int words = 0;
  for (int i = 0; text[i]; ++i) words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
  ok[threadIdx.x] = words == 4;
}

extern "C" __global__ void knuth_morris_pratt(int* ok) {
  const char pattern[] = "abab", text[] = "abababcababab";
  int fail[5] = {-1};
  for (int i = 0, k = -1; i < 4; fail[++i] = ++k)
    while (k >= 0 && pattern[k] != pattern[i]) k = fail[k];
  int found = 0;
  for (int i = 0, k = 0; text[i]; ++i) {
    while (k >= 0 && pattern[k] != text[i]) k = fail[k];
    if (++k == 4) ++found, k = fail[k];
  }
  ok[threadIdx.x] = found == 4;
}

extern "C" __global__ void palindromes(int* ok) {
  int t = threadIdx.x, reversed = 0, digits[3], n = 0;
  for (int v = t; v; v /= 10) reversed = 10 * reversed + v % 10, digits[n++] = v % 10;
  bool by_digits = true;
  for (int i = 0; i < n / 2; ++i) by_digits = by_digits && digits[i] == digits[n - 1 - i];
  ok[t] = (reversed == t) == by_digits && by_digits == (t < 10 || t % 11 == 0);
}

extern "C" __global__ void edit_distance(int* ok) {
  const char a[] = "kitten", b[] = "sitting";
  int row[8];
  for (int j = 0; j <= 7; ++j) row[j] = j;
  for (int i = 1; i <= 6; ++i) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= 7; ++j) {
      int above = row[j];
      row[j] = min(min(row[j], row[j - 1]) + 1, corner + (a[i - 1] != b[j - 1]));
      corner = above;
    }
  }
  ok[threadIdx.x] = row[7] == 3;
}

extern "C" __global__ void utf8_lengths(int* ok) {
  const unsigned char text[] = {'a', 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0};
  int characters = 0;
  unsigned code = 0, last = 0;
  for (int i = 0; text[i];) {
    unsigned c = text[i];
    int more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    code = more ? c & (0x3f >> more) : c;
    for (++i; more > 0; --more) code = code << 6 | (text[i++] & 0x3f);
    last = code;
    ++characters;
  }
  ok[threadIdx.x] = characters == 4 && last == 0x1f600;
}

extern "C" __global__ void hexadecimal(int* ok) {
  const char* digits = "0123456789abcdef";
  unsigned value = threadIdx.x * 0x01234567u, back = 0;
  char text[8];
  for (int i = 0; i < 8; ++i) text[i] = digits[value >> (28 - 4 * i) & 15];
  for (int i = 0; i < 8; ++i) back = back << 4 | (text[i] <= '9' ? text[i] - '0' : text[i] - 87);
  ok[threadIdx.x] = back == value;
}

__device__ bool balanced(const char* s) {
  char stack[16];
  int top = 0;
  for (; *s; ++s) switch (*s) {
      case '(':
      case '[':
      case '{':
        stack[top++] = *s;
        break;
      case ')':
        if (top == 0 || stack[--top] != '(') return false;
        break;
      case ']':
        if (top == 0 || stack[--top] != '[') return false;
        break;
      case '}':
        if (top == 0 || stack[--top] != '{') return false;
        break;
    }
  return top == 0;
}
extern "C" __global__ void brackets(int* ok) {
  bool which = threadIdx.x & 1;
  ok[threadIdx.x] = balanced(which ? "f(a[i]{x})" : "(a[i)]") == which;
}
