import { BroadcastSubjects } from '../../src/broadcasts/sending/broadcast-subjects.js';
import type { Sql } from '../../src/platform/database/database.js';
import { RenderingPool } from '../../src/rendering/rendering-pool.js';
import { HOSTILE_TEMPLATES } from '../rendering/hostile-templates.js';

/** Three tasks that use up this limit, one after the other, take longer than a subject waits. */
const pool = new RenderingPool({ maxThreads: 2, timeLimitMs: 600 });
const subjects = new BroadcastSubjects(pool);
afterAll(() => pool.close());

/** The subjects of as many recipients as there are variables. */
function subjectsOf(subject: string, ...variables: (object | null)[]): Promise<string[] | undefined> {
  const sql = { query: () => Promise.resolve(variables.map((own) => ({ variables: own }))) } as unknown as Sql;
  const broadcast = { id: 'b', organization_id: 'o', next_place: '0', subject };
  return subjects.next(sql, broadcast, variables.length, Date.UTC(2026, 0, 2));
}

it('fills in the variables of each recipient, in their order', async () => {
  const people = Array.from({ length: 200 }, (_, n) => ({ name: `Guest ${n}` }));
  expect(await subjectsOf('{{ name }}, it is {{ "now" | date: "%Y" }}', ...people)).toEqual(
    people.map(({ name }) => `${name}, it is 2026`),
  );
  expect(await subjectsOf('Hello {{ name }}', null)).toEqual(['Hello']);
});

it('shows the template where a recipient gets no subject, or too long a one', async () => {
  const [usual, none, long] = (await subjectsOf('{{ name }}', { name: 'A' }, {}, { name: 'x'.repeat(2_000) }))!;
  expect([usual, none, long]).toEqual(['A', '{{ name }}', '{{ name }}']);
  expect(await subjectsOf('{{ name', { name: 'A' })).toEqual(['{{ name']);
});

it('gives none while the threads are busy with other work of the organization', async () => {
  const html = HOSTILE_TEMPLATES['an array inside itself']!.html;
  const request = { source: { subject: 's', html, text: null }, variables: {}, now: 0 };
  const stuck = Array.from({ length: 3 }, () =>
    pool.renderMessage(request, { organizationId: 'o', mayBeRefused: false }).catch(() => undefined),
  );
  expect(await subjectsOf('Hello {{ name }}', { name: 'Ada' })).toBeUndefined();
  await Promise.all(stuck);
  expect(await subjectsOf('Hello {{ name }}', { name: 'Ada' })).toEqual(['Hello Ada']);
});
