import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import { ErasureBench } from './erasure-bench.js';

const [JANE, CARL, BOB] = ['jane@example.com', 'carl@example.com', 'bob@example.com'];

let bench: ErasureBench;
beforeAll(async () => void (bench = await ErasureBench.start()));
afterAll(() => bench?.stop());

const statusOf = async (id: string) => (await bench.client.get<EmailDetail>(`/api/emails/${id}`)).body.status;

it('a scheduled email ends with the erasure of the last of several people in to, although it has copies', async () => {
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  const { emailTrackingId: id } = await bench.send({ to: [JANE, CARL], cc: [BOB], sendAt });
  await bench.erase(CARL);
  expect(await statusOf(id)).toBe('scheduled');
  await bench.erase(JANE);
  expect(await statusOf(id)).toBe('canceled');
});

it('the attempts of an email to several people name an erased one no longer', async () => {
  const { emailTrackingId } = await bench.send({ to: [JANE, BOB] });
  const { id } = await bench.read(emailTrackingId);
  await bench.service.database.query('insert into email_attempts (email_id, number, reason) values ($1, 1, $2)', [
    id,
    `451 later <${JANE}>`,
  ]);
  await bench.erase(JANE);
  expect(await bench.service.database.query('select reason from email_attempts where email_id = $1', [id])).toEqual([
    { reason: '451 later <erased>' },
  ]);
});
