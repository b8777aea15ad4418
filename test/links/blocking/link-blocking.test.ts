import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import { blockLinksByTag } from '../../../src/links/blocking/block-links-by-tag.js';
import { blockLinks } from '../../../src/links/blocking/blocked-links.js';
import { BlockingMetrics } from '../../../src/links/blocking/blocking-metrics.js';
import { LinkBlocking } from '../../../src/links/blocking/link-blocking.js';
import { generateEmailTrackingId } from '../../../src/links/email-tracking-id.js';
import { SigningKeyRing } from '../../../src/links/signing-key-ring.js';
import { monotonicClock } from '../../../src/platform/clock/clock.js';
import { sendMail } from '../../roles/flusher/sent-mail.js';
import { CapturedLog } from '../../support/captured-log.js';
import { eventually } from '../../support/eventually.js';
import { openTestDatabase } from '../../support/test-database.js';

const CHANGED = 'The deny list for links changed';

it('blocks links of an earlier release after the deletion of their organization, as during it', async () => {
  const { database, close } = await openTestDatabase();
  const log = new CapturedLog('info', ['tracking']);
  const { logger } = log;
  const ring = new SigningKeyRing(database, logger);
  const blocking = new LinkBlocking(database, ring, new BlockingMetrics(new Registry()), monotonicClock, logger);
  try {
    await ring.onModuleInit();
    await blocking.onModuleInit();
    const { organizationId, emails } = await sendMail(database, [1]);
    const trackingId = generateEmailTrackingId(ring.current, randomBytes(12));
    await database.query('update emails set tracking_id = $1 where id = $2', [trackingId, emails[0]!.id]);
    const kind = async () => blocking.check(trackingId, 'https://shop.example/');
    expect(await kind()).toBeUndefined();
    await blockLinks(database, { kind: 'deleted', value: organizationId });
    await eventually(async () => (await kind()) === 'deleted');
    await database.query('delete from emails where id = $1', [emails[0]!.id]);
    await blockLinksByTag(database, organizationId);
    await eventually(() => changesIn(log.text) === 2);
    expect(await kind()).toBe('deleted');
  } finally {
    await blocking.onApplicationShutdown();
    ring.onApplicationShutdown();
    await close();
  }
});

function changesIn(text: string): number {
  return text.split(CHANGED).length - 1;
}
