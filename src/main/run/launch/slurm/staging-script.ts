/**
 * The staging process of a job whose compute nodes do not share the run's folder. It runs on the login node, survives the connection
 * and the app, and copies the run's files to the nodes (`sbcast`) when the job starts, brings back what the ranks write
 * while they run, and lets the job end when everything has been brought. What a compute node sends is only written below the folders
 * of its own ranks. Needs tar, flock, stat and awk on both sides, and Slurm 20.11 (`srun --overlap`).
 */
import { againFile, forgetEnds, secretsOf } from '../../../../shared/lab/slurm-script.ts';
import { lockFile, notCopiedMark } from '../../../../shared/lab/slurm/slurm-staging.ts';
import { withoutFilters } from '../../../../shared/node/slurm-variables.ts';
import { shellQuote } from '../../../ssh/index.ts';
import { inAllPartitions } from './job-answers.ts';
import { askTask, broughtTask, growing, sendTask, unpackTask } from './staging-node.ts';

export interface Staging {
  /** The folder that stands for a home on every machine. */
  readonly folder: string;
  /** Absolute. */
  readonly runFolder: string;
  readonly attempt: number;
  /** Of each node in the order of the ranks: the names of the folders in the run's that it writes. */
  readonly nodeFolders: readonly (readonly string[])[];
  /** A folder of the run that the first node's processes work in, if there is one. */
  readonly work: string | undefined;
  /** What the ranks' commands use, relative to Ringlab's folder: trainers, environments, data. */
  readonly payload: readonly string[];
}

/** In the run's folder on the login node. */
export const stagingScriptFile = (attempt: number): string => `stage-${attempt}.sh`;
/** Its messages; the last lines say why nothing was copied. */
export const stagingLog = (attempt: number): string => `stage-${attempt}.log`;
/** What the app last knew of the job: it spares the controller the same question. */
const stateFile = (attempt: number): string => `.stage-${attempt}.state`;

export type StagedState = 'waits' | 'runs' | 'over';

/** In the run's folder: starts the staging process where it does not run. */
export const startStaging = (attempt: number, job: string, state: StagedState | undefined): string => {
  const say = state === undefined ? '' : `echo ${state} >${stateFile(attempt)}; `;
  const start = `( setsid sh ${stagingScriptFile(attempt)} ${job} </dev/null >>${stagingLog(attempt)} 2>&1 & )`;
  // One that has ended has removed its lock's file.
  return `${say}if [ -e ${lockFile(attempt)} ] && flock -n ${lockFile(attempt)} true; then ${start}; fi\n`;
};

/** In the run's folder, before the first `startStaging`. */
export const allowStaging = (attempt: number): string => `: >${lockFile(attempt)}\n`;

/** Seconds between two questions to the controller while the app does not look. */
const askEvery = 30;
const maxTries = 5;

export function stagingScript(staging: Staging): string {
  const { folder, runFolder, attempt, nodeFolders, work, payload } = staging;
  const root = `${folder}/.ringlab`;
  const run = runFolder.slice(root.length + 1);
  const archive = `${folder}/.ringlab-stage-${run.replaceAll('/', '-')}.tar`;
  const state = stateFile(attempt);
  return `#!/bin/sh
# Written by Ringlab: copies the run's files to the compute nodes of job $1, and brings back what they write.
job=$1
trap '' HUP
umask 077
${withoutFilters}
cd ${shellQuote(runFolder)} || exit 1
exec 9>>${lockFile(attempt)}
flock -n 9 || exit 0

# waits, runs, over, or nothing: as the app knows it, or asked by itself where the app does not look.
state() {
  if [ -n "$(find ${state} -mmin -1 2>/dev/null)" ]; then cat ${state}; return; fi
  now=$(date +%s) asked=$(cat .stage-${attempt}.asked 2>/dev/null)
  [ $((now - \${asked:-0})) -ge ${askEvery} ] || return
  echo "$now" >.stage-${attempt}.asked
  if answer=$(timeout 20 squeue --noheader ${inAllPartitions} --jobs="$job" --format=%T 2>&1); then
    case $answer in *RUNNING*) echo runs ;; '') echo over ;; *) echo waits ;; esac
  else
    case $answer in *'nvalid job id'*) echo over ;; esac
  fi
}

# Runs shell text as a step on nodes of a part of the job: its number or nothing, how many, or which one.
step() {
  group=$1 nodes=$2 which=$3; shift 3
  srun --jobid="$job" --overlap --quiet --chdir=/ --input=none --gres=none --kill-on-bad-exit=0 \\
    \${group:+--het-group="$group"} --nodes="$nodes" --ntasks="$nodes" --ntasks-per-node=1 --cpus-per-task=1 \\
    \${which:+--nodelist="$which"} sh -c "$@" </dev/null 9>&-
}

# Prints a part's number and a node's name a line, in the order of the ranks.
nodes_of_job() {
  timeout 20 squeue --noheader ${inAllPartitions} --jobs="$job" --states=RUNNING --format='%i %N' | sort -t + -k 2 -n | while read -r id list; do
    case $id in *+*) part=\${id##*+} ;; *) part=- ;; esac
    scontrol show hostnames "$list" | while read -r name; do echo "$part $name"; done
  done
}

size() { stat -c %s -- "$1" 2>/dev/null || echo 0; }

# Takes frames of one node from standard input. Arguments: the first names that it may write. 0 when its ranks have ended.
take() {
  while IFS=' ' read -r kind from length name; do
    case $kind in end) return 0 ;; append|whole) ;; *) return 1 ;; esac
    case $from$length in *[!0-9]*) return 1 ;; esac
    [ "\${#length}" -ge 1 ] && [ "\${#length}" -le 13 ] || return 1
    case /$name/ in */../*|*/./*|*//*) return 1 ;; esac
    case \${name%%/*} in *' '*|'') return 1 ;; esac
    case " $1 " in *" \${name%%/*} "*) ;; *) return 1 ;; esac
    case \${name##*/} in launch.sh|task.sh|command.json|secret-*) head -c "$length" >/dev/null; continue ;; esac
    case $name in
      */*)
        mkdir -p -- "\${name%/*}" || return 1
        # A link of the script's own folder would lead out of the run's.
        [ "$(readlink -f -- "\${name%/*}")" = "$real/\${name%/*}" ] || return 1 ;;
    esac
    if [ "$kind" = append ]; then
      [ ! -L "$name" ] && [ "$(size "$name")" = "$from" ] || return 1
      head -c "$length" >>"$name" || return 1
    else
      head -c "$length" >"$name.part" && [ "$(size "$name.part")" = "$length" ] && mv -fT -- "$name.part" "$name" || return 1
    fi
  done
  return 1
}

# Follows one node until its ranks have ended. Arguments: part, name, folders, and a folder to look into seldom.
follow() {
  while :; do
    there=$(find $3 -type f ${growing} -exec stat -c '%s %n' {} + 2>/dev/null
      [ ! -e "slurm-$job.out" ] || stat -c '%s %n' "slurm-$job.out")
    step "$1" 1 "$2" ${shellQuote(sendTask)} sh "$here" "$token" "$3" "$4" "$there" | take "$3 $4 slurm-$job.out" && return 0
    sleep 5
    case $(state) in over|waits) return 1 ;; esac
  done
}

# Fails with its last word in the log.
copy() {
  restart=\${token##*-}
  if [ "$restart" -gt 0 ]; then : >${againFile(attempt)} && ${forgetEnds}; fi
  set -- ${shellQuote(run)}
  for entry in ${payload.map(shellQuote).join(' ')}; do [ ! -e ${shellQuote(root)}/"$entry" ] || set -- "$@" "$entry"; done
  tar -cf ${shellQuote(archive)} -C ${shellQuote(root)} --exclude='.stage-*' --exclude='slurm-*.out' --exclude='*.part' "$@" &&
    sbcast --jobid="$job" --force ${shellQuote(archive)} ${shellQuote(`${archive}.copy`)} 9>&- &&
    each_part ${shellQuote(unpackTask(folder))} sh "$here" ${shellQuote(`${archive}.copy`)} "$token"
  code=$?
  rm -f ${shellQuote(archive)}
  return "$code"
}

# One step on all nodes of each part.
each_part() {
  for part in $(cut -d ' ' -f 1 .stage-${attempt}.nodes | uniq); do
    count=$(grep -c "^$part " .stage-${attempt}.nodes)
    step "\${part#-}" "$count" '' "$@" || return 1
  done
}

# The job would wait for its files in vain. Argument: why.
give_up() {
  why=$(printf '%s\\n' "$1" | sed -n 's/^${notCopiedMark} //p' | head -n 1)
  echo "${notCopiedMark} \${why:-$(printf '%s\\n' "$1" | grep . | tail -n 1)}"
  scancel "$job"
}

# One start of the job, from its files to its last line.
serve() {
  nodes_of_job >.stage-${attempt}.nodes
  [ "$(wc -l <.stage-${attempt}.nodes)" -eq ${nodeFolders.length} ] || return 1
  if ! token=$(each_part ${shellQuote(askTask(folder))} sh "$here" 2>.stage-${attempt}.said); then
    said=$(cat .stage-${attempt}.said)
    case $said in *'${notCopiedMark}'*) give_up "$said" ;; esac
    return 1
  fi
  token=$(printf '%s\\n' "$token" | sort -u)
  case $token in "$job"-*[!0-9]*) return 1 ;; "$job"-*) ;; *) return 1 ;; esac
  if [ "$token" != "$(cat .stage-${attempt}.token 2>/dev/null)" ]; then
    if ! said=$(copy 2>&1); then
      tries=$((tries + 1))
      printf '%s\\n' "$said"
      [ "$tries" -lt ${maxTries} ] || give_up "$said"
      return 1
    fi
    echo "$token" >.stage-${attempt}.token
  fi
  tries=0 index=0 pids=
  while read -r part name <&8; do
    case $index in
${nodeFolders.map((names, index) => `      ${index}) folders=${shellQuote(names.join(' '))} seldom=${index === 0 && work !== undefined ? shellQuote(work) : "''"} ;;`).join('\n')}
    esac
    follow "\${part#-}" "$name" "$folders" "$seldom" 8<&- &
    pids="$pids $!" index=$((index + 1))
  done 8<.stage-${attempt}.nodes
  well=yes
  for pid in $pids; do wait "$pid" || well=no; done
  [ "$well" = yes ] && each_part ${shellQuote(broughtTask)} sh "$here" "$token"
}

here=${shellQuote(runFolder)} real=$(pwd -P) tries=0 pause=1
# Until the run's folder is gone, too.
while [ -e ${lockFile(attempt)} ]; do
  case $(state) in
    over) break ;;
    waits) pause=1 ;;
    runs) if serve; then pause=1; elif [ "$pause" -lt 60 ]; then pause=$((pause * 2)); fi ;;
  esac
  sleep "$pause"
done
rm -f ${secretsOf(attempt)} ${shellQuote(archive)} .stage-${attempt}.*
`;
}
