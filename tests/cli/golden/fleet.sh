#!/bin/bash
# A fleet of gpx. Each task of this job array measures line N of tasks.txt into task/N.db.
# To change an option, edit this file; gpx fleet retry submits it again.
#SBATCH --job-name=gpx-it-s
#SBATCH --array=1-64
#SBATCH --output='/home/me/my fleets/first'/task/%a.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@60
#SBATCH --partition=gpu
#SBATCH -t 1:00:00
#SBATCH '--comment=two words'

folder='/home/me/my fleets/first'
task=$SLURM_ARRAY_TASK_ID
read -r shard device < <(sed -n "${task}p" "$folder/tasks.txt")
echo "task $task: shard $shard on $device, host $(hostname), job $SLURM_JOB_ID"
rm -f "$folder/task/$task.status"

# --continue: a try after an interrupted one measures only the points that its store lacks.
/opt/gpx/bin/gpx run --continue --quiet --store "$folder/task/$task.db" \
  --device "$device" --shard "$shard" --seed 1 --set 'title=a b' -- '/home/me/it'\''s.gpx' kepler_prt &
gpx=$!

# Slurm sends USR1 a minute before the time limit: save, and go on in another try. TERM, as scancel
# sends it: save, and end.
again=
trap 'again=yes; kill -TERM $gpx' USR1
trap 'kill -TERM $gpx' TERM
while wait $gpx; status=$?; kill -0 $gpx 2>/dev/null; do :; done

echo "$status $(hostname) $(date -u +%FT%TZ)" > "$folder/task/$task.status"
if [[ $again && $status -gt 3 ]]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit $status
