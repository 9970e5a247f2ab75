# Names and bytes that are taken for others.
devices=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../stdlib/devices" 2>/dev/null && pwd)
printf 'experiment d { threads 32 < load broadcast > }\n' >d.gpx
sed 's/^return {/return { /; s/"230 clocks"/"231 clocks"/; s/memory = {/memory = { /' "$devices/k20.lua" >mine.lua
echo '-- mine' >>mine.lua
status 2 "$GPX" run d.gpx --device mine.lua
says "calls itself 'k20'"
sed -i 's/"k20"/"my-k20"/' mine.lua
status 0 "$GPX" run d.gpx --device mine.lua
cp "$devices/k20.lua" same.lua
status 0 "$GPX" run d.gpx --device same.lua

# Bytes of kernels that a compiler reads in its own way.
kernel nul.cu '__global__ void k(int* a) { a[0] = 1; }'
printf '\0 this is no CUDA' >>nul.cu
status 2 "$GPX" run k.gpx --device gtx280
says 'byte 0x00'
kernel latin.cu $'// caf\xff\n__global__ void k(int* a) { a[0] = 1; }'
status 0 "$GPX" run k.gpx --device gtx280
kernel bom.cu $'\xef\xbb\xbf__global__ void k(int* a) { a[0] = 1; }'
status 0 "$GPX" run k.gpx --device gtx280
printf '\xef\xbb\xbfprint(1)\n' >bom.lua
status 0 "$GPX" lua bom.lua
prints 1

# A limit that is passed is named.
printf 'experiment e { threads 32 blocks 4294967295 < load broadcast > }\n' >b.gpx
status 2 "$GPX" check b.gpx
says 'from 1 to 2147483647'
