import type { SendResponse } from '../../../src/emails/accept/send-response.js';
import { reportOf } from '../../emails/recipients/reported-mail.js';
import { eventually } from '../../support/eventually.js';
import { ErasureBench } from './erasure-bench.js';

const PEOPLE = [0, 1, 2, 3, 4].map((n) => `person${n}@example.com`);
const some = (count: number, from: number): string[] =>
  Array.from({ length: count }, (_, n) => PEOPLE[(from + n * 2) % PEOPLE.length]!);

let bench: ErasureBench;

beforeAll(async () => void (bench = await ErasureBench.start()));
afterAll(() => bench?.stop());

it('concurrent erasures of people who share emails, each twice, during opens and reports: no deadlock, and nothing is left', async () => {
  const { client, service } = bench;
  await client.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['EMAIL_SENT', 'EMAIL_OPENED'] });
  const sent: SendResponse[] = [];
  for (let n = 0; n < 10; n++)
    sent.push(
      await bench.send({ to: some(3, n), cc: some(1, n + 1), campaignId: 'Spring', subject: `For ${some(1, n)[0]}` }),
    );
  const ids = await Promise.all(sent.map(async ({ emailTrackingId }) => (await bench.read(emailTrackingId)).id));
  const happenings = async (): Promise<void> => {
    for (let round = 0; round < 3; round++) {
      await Promise.all(sent.map(({ pixelUrl }) => service.track(pixelUrl)));
      await bench.append(...ids.map((id, n) => reportOf(id, some(1, n)[0]!, 'bounced', { bounce: 'hard' })));
    }
  };
  const erased = await Promise.all([
    ...[...PEOPLE, ...PEOPLE].map((address) => bench.erase(address)),
    happenings().then(() => true),
  ]);
  expect(erased.filter(Boolean).length).toBeGreaterThan(PEOPLE.length);
  await eventually(async () => (await bench.find(...PEOPLE)).length === 0);
  const [row] = await service.database.query<{ deadlocks: number }>(
    'select deadlocks::integer from pg_stat_database where datname = current_database()',
  );
  expect(row).toEqual({ deadlocks: 0 });
});
