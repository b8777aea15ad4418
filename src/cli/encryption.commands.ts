import type { Command } from 'commander';
import { ensureEncryptionKeys } from '../embedded/encryption-key-file.js';
import { findKeys } from '../embedded/resolve-environment.js';
import { newEncryptionKey } from '../platform/encryption/encryption-keys.js';
import { reencryptColumn, type Reencryption, type SealedColumn } from '../platform/encryption/sealed-column.js';
import { SecretBox } from '../platform/encryption/secret-box.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import { dkimKeyColumns } from '../domains/dkim-keys.js';
import { secondFactorColumns } from '../users/second-factor/second-factor-secret.js';
import { webhookSecretColumns } from '../webhooks/webhook-secrets.js';
import { providerSecretColumns } from '../organizations/providers/provider-secrets.js';
import { AuditLog, operatorOf } from '../organizations/audit/record-audit.js';
import { printJson, withDatabase } from './command-context.js';

/** All columns with sealed secrets. Their names begin with `sealed_`, so that a test finds missing entries. */
export const sealedColumns: readonly SealedColumn[] = [
  ...dkimKeyColumns,
  ...webhookSecretColumns,
  ...secondFactorColumns,
  ...providerSecretColumns,
];

export function addEncryptionCommands(program: Command, projectDirectory: string): void {
  const encryption = program.command('encryption').description('encryption keys of stored secrets');
  encryption
    .command('new-key')
    .description('print a new key for ENCRYPTION_KEYS, whose first key encrypts')
    .requiredOption('--id <id>', '1 to 16 letters and digits, different from the IDs in use')
    .action(({ id }: { id: string }) => {
      if (!/^[A-Za-z0-9]{1,16}$/.test(id)) throw new InvalidFieldError('id', 'must be 1 to 16 letters and digits');
      printJson({ key: newEncryptionKey(id) });
    });
  encryption
    .command('make-keys')
    .description("create this folder's key, which its processes use if ENCRYPTION_KEYS is unset; safe to run twice")
    .action(async () => {
      const keys = await ensureEncryptionKeys(projectDirectory);
      printJson({ keys: keys.map(({ id }) => id) });
    });
  encryption
    .command('reseal')
    .description('re-encrypt every secret with the first key of ENCRYPTION_KEYS, so that older keys can be removed')
    .action(() => reseal(projectDirectory));
}

/** @throws OperatorError when no key opens some secrets, after all others are re-encrypted */
async function reseal(projectDirectory: string): Promise<void> {
  const outcomes = await withDatabase(projectDirectory, async (database, settings) => {
    const box = new SecretBox(await findKeys(settings, projectDirectory));
    const target = { kind: 'encryption-key', id: null } as const;
    await AuditLog.record(database, { ...operatorOf(null), action: 'encryption.key-changed', target });
    const ended: Reencryption[] = [];
    for (const column of sealedColumns) ended.push(await reencryptColumn(database, box, column));
    return ended;
  });
  const sum = (key: 'count' | 'unreadable'): number => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const unreadable = sum('unreadable');
  printJson({ resealed: sum('count'), unreadable });
  if (unreadable === 0) return;
  const first = outcomes.flatMap(({ firstUnreadable }) => firstUnreadable);
  throw new OperatorError(
    `No key of ENCRYPTION_KEYS opens ${unreadable} secrets: restore their keys, or replace the secrets. The first:\n${first.join('\n')}`,
  );
}
