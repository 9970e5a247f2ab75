// gpx: --entry grey --grid 1 --block 16,4 --buffer out=64B --buffer in=192B:hash --arg cols=16 --arg rows=4
#include <opencv2/core/core.hpp>
#include <opencv2/highgui/highgui.hpp>
#include <boost/program_options.hpp>
using namespace std;
using namespace cv;
__global__ void grey(unsigned char *out, const uchar3 *in, int cols, int rows) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x < cols && y < rows) { uchar3 p = in[y * cols + x]; out[y * cols + x] = .299f * p.x + .587f * p.y + .114f * p.z; }
}
Mat convert(const Mat &image) { Mat out(image.rows, image.cols, CV_8UC1); grey<<<1, dim3(16, 4)>>>(out.ptr(), (uchar3 *)image.ptr(), image.cols, image.rows); return out; }
int main(int argc, char **argv) { Mat image = imread(argv[1], IMREAD_COLOR); if (image.empty()) { cout << "no image" << endl; return -1; } imwrite("out.png", convert(image)); }
