// Chooses the account that runs PostgreSQL's programs, which refuse to run as root, and makes the kernel stop them when
// the service ends.
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { AppError, toError } from '../../lib/errors.ts';

interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/** How to run a PostgreSQL program. */
export interface Runner {
  /** Prepended to the program and its arguments. */
  readonly prefix: readonly string[];
  /** The account that Node switches to, if any. */
  readonly ids?: Ids;
  /** The owner of the files, if not the account of the service. */
  readonly owner?: Ids;
  /** Called after a program was launched, so that the caller can do other work while the program runs. */
  readonly onStarted?: () => void;
}

export interface RunnerRequest {
  /** Must be executable by the chosen account. */
  readonly postgres: string;
  /** Must be reachable by the chosen account. */
  readonly folder: string;
  /** The owner of the cluster, or undefined if there is no cluster. */
  readonly owner: Ids | undefined;
  /** The preferred account if the service is root. */
  readonly account: string;
}

// The service's environment is not passed on: PGPORT and others would change the server, LD_LIBRARY_PATH its libraries.
const ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };
const PROBE_TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 1_000_000;

// The kernel sends SIGINT (a fast shutdown) when the thread that started the program ends, for any reason.
const DIE_WITH_PARENT = ['setpriv', '--pdeathsig', 'INT'];
const ROOT: Ids = { uid: 0, gid: 0 };
const NOBODY: Ids = { uid: 65_534, gid: 65_534 };

/** Returns the first runner that works here. If none does, throws an error with the reason for each. */
export async function chooseRunner(request: RunnerRequest): Promise<Runner> {
  const reasons: string[] = [];
  for (const runner of await listRunners(request)) {
    const reason = await probe(runner, request);
    if (reason === undefined) return runner;
    reasons.push(`${describe(runner)}: ${reason}`);
  }
  const remedy =
    process.getuid?.() === 0
      ? 'PostgreSQL refuses to run as root: start the service as an ordinary user, add an account named postgres that can read both folders, or set DATABASE_URL.'
      : 'Set DATABASE_URL to a PostgreSQL 15 or newer instead.';
  throw new AppError(
    'unavailable',
    `The embedded PostgreSQL (${request.postgres}) cannot run with its data in ${request.folder}. ${remedy}\nTried ${reasons.join('\nTried ')}`,
  );
}

const describe = ({ prefix, ids }: Runner): string =>
  prefix.join(' ') || (ids === undefined ? 'directly' : `as user ${ids.uid}`);

async function listRunners({ owner, account }: RunnerRequest): Promise<readonly Runner[]> {
  const accounts = await readAccounts();
  const nobody = accounts.get('nobody') ?? [...accounts.values()].find(({ uid }) => uid !== 0);
  if (process.getuid?.() !== 0) {
    const direct = [{ prefix: DIE_WITH_PARENT }, { prefix: [] }];
    return hasAccount() ? direct : [createNamespaceRunner(nobody), ...direct];
  }
  const createRunner = (ids: Ids): Runner =>
    ids.uid === 0 ? createNamespaceRunner(nobody) : createAccountRunner(ids);
  const candidates = [owner, accounts.get(account), ROOT, nobody].filter(ids => ids !== undefined);
  // Without setpriv (macOS, busybox), the next start stops the PostgreSQL that a killed service left running.
  const plain = candidates.filter(({ uid }) => uid !== 0).map(ids => ({ prefix: [], ids, owner: ids }));
  return [...candidates.map(createRunner), ...plain];
}

const createAccountRunner = (ids: Ids): Runner => ({
  prefix: [
    'setpriv',
    `--reuid=${ids.uid}`,
    `--regid=${ids.gid}`,
    '--clear-groups',
    ...DIE_WITH_PARENT.slice(1),
  ],
  owner: ids,
});

/**
 * Runs commands in a user namespace. New files belong to our account, but PostgreSQL sees the mapped account, which
 * must have a name for `initdb`.
 */
function createNamespaceRunner({ uid, gid }: Ids = NOBODY): Runner {
  const prefix = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, ...DIE_WITH_PARENT];
  return process.getuid?.() === 0 ? { prefix, owner: ROOT } : { prefix };
}

/** Returns whether our user id has a name. In containers it often has none. */
function hasAccount(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

async function readAccounts(): Promise<ReadonlyMap<string, Ids>> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const rows = passwd.split('\n').map(line => line.split(':'));
  return new Map(
    rows.flatMap(([name, , uid, gid]) =>
      name && uid && gid ? [[name, { uid: Number(uid), gid: Number(gid) }] as const] : [],
    ),
  );
}

/** Returns why the runner does not work, or undefined if it works. */
async function probe(runner: Runner, { postgres, folder }: RunnerRequest): Promise<string | undefined> {
  const script = 'test -x "$1" || { echo "$1 cannot be entered" >&2; exit 1; }; exec "$2" -V';
  try {
    await runToCompletion(runner, '/bin/sh', ['-c', script, 'sh', folder, postgres], PROBE_TIMEOUT_MS);
    return undefined;
  } catch (err) {
    return toError(err).message;
  }
}

/** Runs the program to completion. Throws an error with its stderr if it fails. */
export async function runToCompletion(
  runner: Runner,
  program: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<void> {
  const [command, commandArgs] = toCommand(runner, program, args);
  try {
    const result = promisify(execFile)(command, commandArgs, {
      ...toSpawnOptions(runner),
      timeout: timeoutMs,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    runner.onStarted?.();
    await result;
  } catch (err) {
    const { message, stderr } = err as Error & { stderr?: string };
    throw new Error((stderr?.trim() || message).slice(0, 2000), { cause: err });
  }
}

/** Starts the program in its own session, so that Ctrl-C in a terminal reaches only the service. */
export function startProgram(runner: Runner, program: string, args: readonly string[]): ChildProcess {
  const [command, commandArgs] = toCommand(runner, program, args);
  const child = spawn(command, commandArgs, {
    ...toSpawnOptions(runner),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  runner.onStarted?.();
  return child;
}

function toCommand({ prefix }: Runner, program: string, args: readonly string[]): [string, string[]] {
  const [command = program, ...rest] = [...prefix, program, ...args];
  return [command, rest];
}

const toSpawnOptions = ({ ids }: Runner): SpawnOptions & { cwd: string; env: typeof ENV } => ({
  cwd: '/',
  env: ENV,
  ...ids,
});
