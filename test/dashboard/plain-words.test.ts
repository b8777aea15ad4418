import { plainWords } from '../../packages/dashboard/src/plain-words.js';

it('a message of the API names fields as forms do', () => {
  expect(plainWords('newPassword must have 12 to 256 characters')).toBe('New password must have 12 to 256 characters');
  expect(plainWords('password must have 12 to 256 characters')).toBe('The password must have 12 to 256 characters');
  expect(plainWords('credentials.apiKey is required')).toBe('API key is required');
  expect(plainWords('constructor is wrong')).toBe('constructor is wrong');
});

it('a message of the API names times in the zone of the reader', () => {
  const renewal = '2026-11-30T00:00:00.000Z';
  expect(plainWords(`The budget is used up: it renews at ${renewal}`)).toBe(
    `The budget is used up: it renews at ${new Date(renewal).toLocaleString()}`,
  );
  const example = 'must be a time like 2026-03-01T09:30:00Z';
  expect(plainWords(`sendAt ${example}`)).toBe(`Begins ${example}`);
});

it('a message of the API about a role tells whom to ask, not which scope is missing', () => {
  expect(plainWords('Your role in this organization lacks the scope manage, which this request needs')).toBe(
    'Your role in this organization does not allow this: ask an owner',
  );
});

it('a message of the API about the organization of the tab names no header', () => {
  expect(plainWords('You are not in the organization that the header x-organization names')).toBe(
    'You are no longer in this organization',
  );
});
