import { execFile, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SUBNET = '10.77.0';
const BRIDGE = 'switch';

/** A machine of the test network, with its own address and without its own disk. */
export interface Host {
  readonly name: string;
  readonly address: string;
}

/**
 * Hosts with addresses of their own on one switch, as Linux network namespaces. Everything lives inside the
 * namespace that this process runs in: the machine's own network never sees it.
 */
export class Network {
  private readonly hosts: Host[] = [];

  /** The address of this process on the network. */
  readonly address = `${SUBNET}.1`;

  static async create(): Promise<Network> {
    await ip('link', 'set', 'lo', 'up');
    await ip('link', 'add', BRIDGE, 'type', 'bridge');
    const network = new Network();
    await ip('address', 'add', `${network.address}/24`, 'dev', BRIDGE);
    await ip('link', 'set', BRIDGE, 'up');
    return network;
  }

  async addHost(name: string): Promise<Host> {
    const host = { name, address: `${SUBNET}.${10 + this.hosts.length}` };
    this.hosts.push(host);
    const namespace = namespaceOf(host);
    await ip('netns', 'add', namespace);
    await ip('link', 'add', interfaceOf(host), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    await ip('link', 'set', interfaceOf(host), 'master', BRIDGE, 'up');
    await ip('-n', namespace, 'address', 'add', `${host.address}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) await ip('-n', namespace, 'link', 'set', device, 'up');
    return host;
  }

  /** Starts a program on the host. */
  start(host: Host, program: string, parameters: readonly string[], options: SpawnOptions): ChildProcess {
    return spawn('ip', ['netns', 'exec', namespaceOf(host), program, ...parameters], options);
  }

  /** Drops all packets of the host without notice. */
  async cutOff(host: Host): Promise<void> {
    await ip('link', 'set', interfaceOf(host), 'down');
  }

  async connect(host: Host): Promise<void> {
    await ip('link', 'set', interfaceOf(host), 'up');
  }

  async remove(): Promise<void> {
    for (const host of this.hosts) await ip('netns', 'delete', namespaceOf(host)).catch(() => undefined);
    await ip('link', 'delete', BRIDGE).catch(() => undefined);
  }
}

async function ip(...parameters: string[]): Promise<void> {
  await run('ip', parameters);
}

const namespaceOf = (host: Host): string => `mailbeacon-${process.pid}-${host.name}`;
const interfaceOf = (host: Host): string => `to-${host.name}`;
