// Creates hosts on one machine: network namespaces on a bridge, each with its own name and address, and a delay of 1 ms
// between hosts if the kernel can delay packets.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ip = (...args: readonly string[]) => run('ip', [...args]);

export interface Host {
  readonly name: string;
  readonly address: string;
  /** Put this before a command to run the command on the host. */
  readonly commandPrefix: readonly string[];
}

export interface Network {
  /** The address of this machine on the bridge. */
  readonly gateway: string;
  /** Undefined if this kernel cannot delay packets. */
  readonly delayMs: number | undefined;
  host(name: string): Host;
  /** Drops packets from and to the host, as if its cable were unplugged. */
  cut(name: string): Promise<void>;
  rejoin(name: string): Promise<void>;
  /** Returns the ids of the host's processes whose command line matches. */
  listProcesses(name: string, command: RegExp): Promise<readonly number[]>;
  remove(): Promise<void>;
}

const DELAY_MS = 1;

/** Returns why this machine cannot create such a network, or undefined if it can. */
export async function findNetworkProblem(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  if (process.getuid?.() !== 0) return 'only root may create network namespaces';
  const testName = `gwt${process.pid}`;
  try {
    await ip('netns', 'add', testName);
    await ip('link', 'add', `${testName}b`, 'type', 'bridge');
    await ip('link', 'del', `${testName}b`);
    return undefined;
  } catch (err) {
    const { code, stderr = '' } = err as { readonly code?: unknown; readonly stderr?: string };
    return code === 'ENOENT'
      ? 'the program ip is not installed (Debian: apt-get install iproute2)'
      : `this machine cannot create network namespaces: ${stderr.trim()}`;
  } finally {
    await ip('netns', 'del', testName).catch(() => undefined);
  }
}

/** Creates the hosts. Call `remove` at the end, because namespaces remain after the process exits. */
export async function createNetwork(names: readonly string[]): Promise<Network> {
  const id = process.pid % 10_000;
  const bridge = `gwb${id}`;
  const subnet = `10.${100 + (id % 100)}.${Math.floor(id / 100)}`;
  const gateway = `${subnet}.1`;
  const hosts = new Map(
    names.map((name, index) => [
      name,
      { name, address: `${subnet}.${index + 10}`, space: `gw${id}-${name}`, link: `gwl${id}-${index}` },
    ]),
  );
  const remove = async (): Promise<void> => {
    for (const { space } of hosts.values()) await ip('netns', 'del', space).catch(() => undefined);
    await ip('link', 'del', bridge).catch(() => undefined);
  };
  const getLink = (name: string): string => hosts.get(name)?.link ?? '';
  try {
    await ip('link', 'add', bridge, 'type', 'bridge');
    await ip('addr', 'add', `${gateway}/24`, 'dev', bridge);
    await ip('link', 'set', bridge, 'up');
    for (const { space, link, address } of hosts.values()) {
      await ip('netns', 'add', space);
      await ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
      await ip('link', 'set', link, 'master', bridge, 'up');
      await ip('-n', space, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
      await ip('-n', space, 'link', 'set', 'eth0', 'up');
      await ip('-n', space, 'link', 'set', 'lo', 'up');
    }
    const delays = [...hosts.values()].map(({ space }) =>
      run('tc', ['-n', space, 'qdisc', 'add', 'dev', 'eth0', 'root', 'netem', 'delay', `${DELAY_MS}ms`]),
    );
    const isDelayed = (await Promise.allSettled(delays)).every(({ status }) => status === 'fulfilled');
    return {
      gateway,
      delayMs: isDelayed ? DELAY_MS : undefined,
      host: name => {
        const { space = '', address = '' } = hosts.get(name) ?? {};
        // Sets the host name too, because workers compare host names to find out whether they share a machine.
        const setHostName = ['unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', space];
        return { name, address, commandPrefix: ['ip', 'netns', 'exec', space, ...setHostName] };
      },
      cut: async name => void (await ip('link', 'set', getLink(name), 'down')),
      rejoin: async name => void (await ip('link', 'set', getLink(name), 'up')),
      listProcesses: async (name, command) => {
        const { stdout } = await ip('netns', 'pids', hosts.get(name)?.space ?? '');
        const pids = stdout.split('\n').filter(Boolean).map(Number);
        return pids.filter(pid => command.test(readCommand(pid)));
      },
      remove,
    };
  } catch (err) {
    await remove();
    throw err;
  }
}

/** Returns the command line of a process, or nothing if the process has ended. */
function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
