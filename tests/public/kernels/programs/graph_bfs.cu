// gpx: --entry Kernel --grid 1 --block 64 --buffer g_graph_nodes=512B:zero --buffer g_graph_edges=256B:zero --buffer g_mask=64B:zero --buffer g_cost=256B:zero --arg no_of_nodes=64
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <math.h>
#include <cuda.h>
#define MAX_THREADS_PER_BLOCK 512
int no_of_nodes; int edge_list_size; FILE *fp;
struct Node { int starting; int no_of_edges; };
__global__ void Kernel(Node *g_graph_nodes, int *g_graph_edges, bool *g_mask, int *g_cost, int no_of_nodes) {
  int tid = blockIdx.x * MAX_THREADS_PER_BLOCK + threadIdx.x;
  if (tid < no_of_nodes && g_mask[tid]) {
    g_mask[tid] = false;
    for (int i = g_graph_nodes[tid].starting; i < (g_graph_nodes[tid].no_of_edges + g_graph_nodes[tid].starting); i++) { int id = g_graph_edges[i]; g_cost[id] = g_cost[tid] + 1; }
  }
}
void BFSGraph(int argc, char **argv);
int main(int argc, char **argv) { no_of_nodes = 0; edge_list_size = 0; BFSGraph(argc, argv); }
void Usage(int argc, char **argv) { fprintf(stderr, "Usage: %s <input_file>\n", argv[0]); }
void BFSGraph(int argc, char **argv) {
  char *input_f; if (argc != 2) { Usage(argc, argv); exit(0); }
  input_f = argv[1]; fp = fopen(input_f, "r"); int source = 0; fscanf(fp, "%d", &no_of_nodes);
  Node *h_graph_nodes = (Node *)malloc(sizeof(Node) * no_of_nodes); bool stop;
  do { stop = false; Kernel<<<1, 64, 0>>>(h_graph_nodes, 0, 0, 0, no_of_nodes); } while (stop);
  printf("%d\n", source);
}
