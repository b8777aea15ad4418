import { randomBytes } from 'node:crypto';
import type { Database } from '../../src/platform/database/database.js';
import { readLink, signLink } from '../../src/links/link-token.js';
import { generateEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { addSigningKey, loadSigningKeys } from '../../src/links/signing-key-store.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let database: Database;
let opened: OpenTestDatabase;
beforeEach(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
});
afterEach(() => opened.close());

describe('rotating the signing key', () => {
  it('lets every process read what the new key signs before one of them signs with it', async () => {
    const before = await loadSigningKeys(database);
    const { id, signsFrom } = await addSigningKey(database);
    expect(signsFrom.getTime()).toBeGreaterThan(Date.now() + 300_000);
    const meanwhile = await loadSigningKeys(database);
    expect(meanwhile.newest.id).toBe(before.newest.id);
    expect(meanwhile.find(id)).toBeDefined();

    // The column rounds to milliseconds, up as well: the key would be half a millisecond short of its time.
    await database.query(`update signing_keys set created_at = date_trunc('milliseconds', now()) where id = $1`, [id]);
    const after = await loadSigningKeys(database);
    expect(after.newest.id).toBe(id);
    const link = {
      emailTrackingId: generateEmailTrackingId(after, randomBytes(12)),
      position: 0,
      url: 'https://example.com/',
    };
    expect(readLink(meanwhile, signLink(after, link))).toEqual(link);
  });

  it('keeps links working that an older key signed', async () => {
    const before = await loadSigningKeys(database);
    const link = {
      emailTrackingId: generateEmailTrackingId(before, randomBytes(12)),
      position: 3,
      url: 'https://example.com/a',
    };
    const token = signLink(before, link);
    await addSigningKey(database);
    await database.query('update signing_keys set created_at = now() where created_at > now()');
    expect(readLink(await loadSigningKeys(database), token)).toEqual(link);
  });

  it('ends with the last id that fits a token', async () => {
    await loadSigningKeys(database);
    await database.query('update signing_keys set id = 254');
    expect((await addSigningKey(database)).id).toBe(255);
    await expect(addSigningKey(database)).rejects.toThrow('All 255 signing keys are taken');
  });
});
