import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PROCESS_ROLES, TABLE_RIGHTS, type ProcessRole } from '../../src/platform/database/process-rights.js';

/*
 * Compares the rights of a role with the statements in the files that its process loads, read as text: some statements
 * run only in rare failures, which no test produces. limited-processes.test.ts checks rights to columns.
 */

const source = join(import.meta.dirname, '..', '..', 'src');
const STREAM = ['events/stream/stream.module.ts', 'links/signing-keys.module.ts'];
const LIVE = 'events/live/live.module.ts';
const QUEUE = 'platform/queue/queue.module.ts';
const WITH_SECRETS = [
  'platform/encryption/encryption.module.ts',
  'rendering/rendering.module.ts',
  QUEUE,
  LIVE,
  ...STREAM,
];

/** The same as in roles/run-roles.ts. */
const roots: Readonly<Record<ProcessRole, readonly string[]>> = {
  api: ['roles/api.module.ts', 'roles/admission.ts', ...WITH_SECRETS],
  tracking: ['roles/tracking/tracking.module.ts', ...STREAM],
  worker: ['roles/worker/worker.module.ts', ...WITH_SECRETS],
  flusher: ['roles/flusher/flusher.module.ts', QUEUE, LIVE],
  bounces: ['events/feedback/smtp/bounces.module.ts', ...STREAM],
  smtp: [
    'emails/submission/submission.module.ts',
    'organizations/rate-limits.module.ts',
    'rendering/rendering.module.ts',
    'links/signing-keys.module.ts',
    ...[QUEUE, LIVE],
  ],
};

/** Statements of a loaded file that this role never executes: `role file right table`. */
const UNUSED = new Set([
  // Commands create the first key before a login with limited rights exists, and rotate keys.
  ...PROCESS_ROLES.map((role) => `${role} links/signing-key-store.ts insert signing_keys`),
  // Only commands create organizations.
  'api organizations/organizations.ts insert organizations',
  // Only operators block links.
  'tracking links/blocking/blocked-links.ts insert blocked_links',
  'tracking links/blocking/blocked-links.ts delete blocked_links',
  // The API reads which emails have no body left; the worker deletes bodies.
  ...['select', 'update'].map((right) => `api emails/content-retention.ts ${right} body_retention`),
  ...['select', 'insert', 'delete'].map((right) => `api emails/content-retention.ts ${right} late_bodies`),
  // The API stores attachments; the worker reads and deletes them.
  'worker emails/attachments/attachment-contents.ts insert attachment_contents',
  'smtp emails/attachments/attachment-contents.ts delete attachment_contents',
  // Flushers store dead letters, workers delete them.
  'worker events/dead-letters/dead-letters.ts insert event_dead_letters',
  'flusher events/dead-letters/dead-letters.ts delete event_dead_letters',
]);

/**
 * Files of which this role executes no statement: the role smtp refuses a message to a suppressed recipient, so its
 * emails leave out nobody, and it reads no templates.
 */
const UNUSED_FILES: Partial<Record<ProcessRole, readonly string[]>> = {
  smtp: [
    'emails/recipients/',
    'organizations/guard/count-sending.ts',
    'domains/sender-refusals.ts',
    'webhooks/recipient-payloads.sql.ts',
    'webhooks/webhook-payloads.sql.ts',
    'suppressions/delete-suppressions.ts',
    'suppressions/insert-suppressions.ts',
    'templates/',
    'emails/attachments/unused-contents.sql.ts',
  ],
};

const IMPORT = /^(?:import|export)\s+(?!type\b)[^;]*?from '(\.[^']+)';|^import '(\.[^']+)';|import\('(\.[^']+)'\)/gm;
const texts = new Map<string, string>();

function textOf(file: string): string {
  const known = texts.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, 'utf8');
  texts.set(file, text);
  return text;
}

/** The files that the process of the role loads, including those that it loads later. */
function filesOf(role: ProcessRole): string[] {
  const files = new Set<string>();
  const waiting = roots[role].map((file) => join(source, file));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file) || file.includes('/migrations')) continue;
    files.add(file);
    for (const [, from, bare, late] of textOf(file).matchAll(IMPORT)) {
      waiting.push(join(dirname(file), (from ?? bare ?? late)!.replace(/\.js$/, '.ts')));
    }
  }
  return [...files].filter((file) => !file.endsWith('.entity.ts') && !file.endsWith('process-rights.ts'));
}

const PATTERNS: readonly (readonly [right: string, pattern: RegExp])[] = [
  ['insert', /\binsert into (\w+)/g],
  ['update', /\binsert into (\w+)(?:(?!\binsert into\b)[^`])*on conflict(?:(?!\binsert into\b)[^`])*\bdo update\b/g],
  ['update', /\bupdate (?:only )?(\w+)/g],
  ['delete', /\bdelete from (?:only )?(\w+)/g],
  ['select', /\b(?:from|join|using) (?:only )?(\w+)/g],
];

/** The table rights that the statements of a file need. */
function neededBy(file: string): string[] {
  const code = textOf(file).replaceAll(/^\s*(?:\*|\/\*\*|\/\/).*$/gm, '');
  const needed = PATTERNS.flatMap(([right, pattern]) =>
    [...code.matchAll(pattern)].filter(([, table]) => table! in TABLE_RIGHTS).map(([, table]) => `${right} ${table}`),
  );
  return [...new Set(needed)];
}

function isUnused(role: ProcessRole, file: string): boolean {
  return UNUSED_FILES[role]?.some((path) => file.startsWith(path)) ?? false;
}

const missing = new Map(
  PROCESS_ROLES.map((role) => [
    role,
    filesOf(role)
      .filter((file) => !isUnused(role, relative(source, file)))
      .flatMap((file) =>
        neededBy(file)
          .filter((need) => {
            const [right, table] = need.split(' ') as [string, string];
            return !new RegExp(`\\b${right}\\b`).test(TABLE_RIGHTS[table]![role] ?? '');
          })
          .map((need) => `${role} ${relative(source, file)} ${need}`),
      ),
  ]),
);

describe('rights of processes and statements', () => {
  it.each(PROCESS_ROLES)('%s has the rights that the statements of its files need', (role) => {
    expect(filesOf(role).length).toBeGreaterThan(50);
    expect(missing.get(role)!.filter((need) => !UNUSED.has(need))).toEqual([]);
  });

  it('every exception is needed', () => {
    const found = new Set([...missing.values()].flat());
    const stale = [...UNUSED].filter((need) => !found.has(need) && !need.includes('signing_keys'));
    expect(stale).toEqual([]);
  });
});
