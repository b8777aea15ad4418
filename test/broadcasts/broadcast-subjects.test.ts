import { BroadcastSubjects } from '../../src/broadcasts/sending/broadcast-subjects.js';
import type { Database } from '../../src/platform/database/database.js';
import { RenderingPool } from '../../src/rendering/rendering-pool.js';
import { HOSTILE_TEMPLATES } from '../rendering/hostile-templates.js';

const pool = new RenderingPool({ maxThreads: 2 });
afterAll(() => pool.close());

const clock = { now: () => Date.UTC(2026, 0, 2) };

function subjectsFor(variables: readonly (object | null)[], rendering = pool): BroadcastSubjects {
  const rows = variables.map((own, index) => ({ place: String(index + 1), variables: own }));
  return new BroadcastSubjects(rendering, { query: () => Promise.resolve(rows) } as unknown as Database, clock);
}
const wanted = (subject: string) => ({ broadcastId: 'b', organizationId: 'o', after: '0', subject, size: 200 });

/** The subjects of as many recipients as there are variables. */
async function subjectsOf(subject: string, ...variables: (object | null)[]): Promise<readonly string[] | undefined> {
  return (await subjectsFor(variables).render(wanted(subject)))?.subjects;
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
  let hasGone = false;
  const html = HOSTILE_TEMPLATES['an array inside itself']!.html;
  const request = { source: { subject: 's', html, text: null }, variables: {}, now: 0 };
  let ended = 0;
  const stuck = Array.from({ length: 20 }, () =>
    pool
      .renderMessage(request, { organizationId: 'o', mayBeRefused: false, hasGone: () => hasGone })
      .catch(() => ended++),
  );
  expect(await subjectsOf('Hello {{ name }}', { name: 'Ada' })).toBeUndefined();
  // One after the other, they take two seconds each.
  expect(ended).toBeLessThan(20);
  hasGone = true;
  await Promise.all(stuck);
  expect(await subjectsOf('Hello {{ name }}', { name: 'Ada' })).toEqual(['Hello Ada']);
});

it('shows the template once subjects take too long, and does not render those of the broadcast again', async () => {
  const expensive = `${'{% for i in (1..1000) %}'.repeat(4)}x${'{% endfor %}'.repeat(4)}`;
  const subjects = subjectsFor(Array.from({ length: 200 }, () => ({})));
  expect(subjects.areNeeded({ id: 'b', subject: expensive })).toBe(true);
  expect((await subjects.render(wanted(expensive)))!.subjects[199]).toBe(expensive);
  expect(subjects.areNeeded({ id: 'b', subject: expensive })).toBe(false);
  expect(subjects.areNeeded({ id: 'other', subject: expensive })).toBe(true);
});
