import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import type { Network } from './network.js';
import { RoleHost } from './role-host.js';
import type { ServiceKind } from './service-host.js';
import { endChild } from '../support/end-child.js';

const SERVICE_PROGRAM = join(import.meta.dirname, 'service-host.ts');
const LOADER = join(import.meta.dirname, '..', 'support', 'register-typescript.mjs');

/** Mailbeacon on separate hosts: Postgres, Redis, a mail server and any number of hosts per role. */
export class Installation {
  private readonly services: ChildProcess[] = [];
  readonly roles: RoleHost[] = [];
  private environment: Record<string, string> = {};
  private ledgerUrl = '';

  constructor(
    private readonly network: Network,
    readonly build: string,
    private readonly directory: string,
  ) {}

  async startServices(): Promise<void> {
    const [DATABASE_URL, REDIS_URL, SMTP_URL] = await Promise.all(
      (['postgres', 'redis', 'mail'] as const).map((kind) => this.startService(kind)),
    );
    this.ledgerUrl = `http://${new URL(SMTP_URL!).hostname}:8025/`;
    this.environment = {
      DATABASE_URL: DATABASE_URL!,
      REDIS_URL: REDIS_URL!,
      SMTP_URL: SMTP_URL!,
      BASE_URL: 'http://track.acme.test',
      ENCRYPTION_KEYS: newEncryptionKey('hosts'),
      LOG_LEVEL: 'info',
      DELIVERY_TIMEOUT_MS: '5000',
      AMBIGUOUS_RESEND_AFTER_MS: '2000',
    };
  }

  async addRole(role: string, name: string): Promise<RoleHost> {
    const host = await this.network.addHost(name);
    const roleHost = new RoleHost(this.network, host, role, this.environment, this.directory);
    this.roles.push(roleHost);
    await roleHost.start(this.build);
    return roleHost;
  }

  async makeOrganization(): Promise<string> {
    const parameters = ['dist/cli/main.js', 'org', 'create', '--name', 'Hosts', '--plan', 'pro'];
    const options = { cwd: this.build, env: { PATH: process.env.PATH, ...this.environment } };
    const { stdout } = await promisify(execFile)(process.execPath, parameters, options);
    return (JSON.parse(stdout) as { apiKey: string }).apiKey;
  }

  /** The number of copies of each email that the mail server accepted, by email ID. */
  async received(): Promise<Map<string, number>> {
    const response = await fetch(this.ledgerUrl);
    const counts = new Map<string, number>();
    for (const { emailId } of (await response.json()) as { emailId: string }[]) {
      counts.set(emailId, (counts.get(emailId) ?? 0) + 1);
    }
    return counts;
  }

  /** Exit codes of the role processes. */
  async stop(): Promise<void> {
    await Promise.all(this.roles.map((role) => role.stop().catch(() => undefined)));
    for (const service of this.services) await endChild(service, 'SIGTERM');
  }

  private async startService(kind: ServiceKind): Promise<string> {
    const host = await this.network.addHost(kind);
    const parameters = ['--import', LOADER, SERVICE_PROGRAM, kind, host.address, this.directory];
    const child = this.network.start(host, process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.services.push(child);
    const [line] = (await Promise.race([
      once(child.stdout!, 'data'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`${kind} ended with code ${code}`))),
    ])) as [Buffer];
    return line.toString().trim();
  }
}

/** A second build of the sources in a separate folder, as for an upgrade. */
export async function copyBuild(project: string, target: string): Promise<string> {
  await mkdir(target, { recursive: true });
  await cp(join(project, 'dist'), join(target, 'dist'), { recursive: true });
  await cp(join(project, 'package.json'), join(target, 'package.json'));
  await symlink(join(project, 'node_modules'), join(target, 'node_modules'));
  return target;
}
