import { pino } from 'pino';
import { OwnDeliveryProviders } from '../../../../src/emails/delivery/organizations/own-delivery-providers.js';
import { readSettings } from '../../../../src/platform/config/settings.js';

it('finds the owners of all emails of a job by one statement', async () => {
  const found: number[] = [];
  const database = {
    query: () => Promise.resolve([{ exist: true }]),
    prepared: (_name: string, _sql: string, [ids]: [string[]]) => {
      found.push(ids.length);
      return Promise.resolve([]);
    },
  };
  const providers = new OwnDeliveryProviders(
    database as never,
    undefined as never,
    readSettings({ SMTP_URL: 'smtp://127.0.0.1:1' }),
    { now: () => 0 },
    pino({ level: 'silent' }),
  );
  const ids = Array.from({ length: 1_000 }, (_, n) => `email-${n}`);
  expect(await providers.ownersOf(ids)).toEqual(ids.map(() => undefined));
  await Promise.all(ids.slice(0, 3).map((id) => providers.ownersOf([id])));
  expect(found).toEqual([1_000, 3]);
  await providers.closeAll();
});
