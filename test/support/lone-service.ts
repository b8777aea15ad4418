import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { freePort } from '../../src/embedded/free-port.js';
import { becomesReady, Program, runCli } from './program.js';
import { createTestDatabase, createTestRedis } from './services.js';
import { SmtpStub } from './smtp-stub.js';

/** The built service in a process of its own, with empty stores, at the address that its tracking links name. */
export interface LoneService {
  readonly address: string;
  /** API key of its only organization. */
  readonly apiKey: string;
  end(): Promise<void>;
}

export async function startLoneService(): Promise<LoneService> {
  const database = await createTestDatabase();
  const mailServer = await SmtpStub.listen();
  const spool = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  const port = String(await freePort());
  const address = `http://127.0.0.1:${port}`;
  const environment = {
    DATABASE_URL: database.url,
    REDIS_URL: (await createTestRedis()).url,
    SMTP_URL: mailServer.url,
    SPOOL_DIRECTORY: spool,
    HOST: '127.0.0.1',
    PORT: port,
    BASE_URL: address,
    ENCRYPTION_KEYS: newEncryptionKey('test'),
  };
  const program = Program.start('roles/main.js', environment);
  const end = async (): Promise<void> => {
    await program.end();
    await mailServer.close();
    await database.drop();
    await rm(spool, { recursive: true, force: true });
  };
  try {
    await becomesReady(address, program);
    const { output } = await runCli(environment, 'org', 'create', '--name', 'Lone');
    return { address, apiKey: (JSON.parse(output) as { apiKey: string }).apiKey, end };
  } catch (error) {
    await end();
    throw error;
  }
}
