import { fastify } from 'fastify';
import { BodyBudget } from '../../../src/platform/http/body-budget.js';
import { BYTES_PER_VALUE, MAX_JSON_VALUES } from '../../../src/platform/http/body-limits.js';
import { acceptJsonBodies } from '../../../src/platform/http/json-bodies.js';

it('counts the values of a body against the budget in addition to its bytes, until the response', async () => {
  const budget = new BodyBudget(10_000_000, 1_000_000);
  const server = fastify();
  server.removeAllContentTypeParsers();
  acceptJsonBodies(server, () => budget.open('one tenant'));
  server.post('/', () => ({ held: budget.held }));
  const body = JSON.stringify(Array(MAX_JSON_VALUES / 2).fill(1));
  const response = await server.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json' },
    payload: body,
  });
  expect(response.json<{ held: number }>().held).toBeGreaterThanOrEqual(
    body.length + (MAX_JSON_VALUES / 2) * BYTES_PER_VALUE,
  );
  expect(budget.held).toBe(0);
  await server.close();
});
