import { fastify } from 'fastify';
import { parseBody } from '../../../src/events/feedback/parse-body.js';
import { BodyBudget } from '../../../src/platform/http/body-budget.js';
import { BYTES_PER_VALUE } from '../../../src/platform/http/body-limits.js';
import { acceptJsonBodies } from '../../../src/platform/http/json-bodies.js';

const MAX_VALUES = 1_000;

/** Parses a body in a handler. @returns its result, and the bytes that were reserved by then */
async function parsed(payload: string): Promise<{ body?: { parsed?: unknown }; held: number }> {
  const budget = new BodyBudget(10_000_000, 1_000_000);
  const server = fastify();
  server.removeAllContentTypeParsers();
  acceptJsonBodies(server, () => budget.open('one tenant'));
  server.post('/', { config: { rawBody: 'application/json' } }, (request) => ({
    body: parseBody(request, MAX_VALUES),
    held: budget.held,
  }));
  const headers = { 'content-type': 'application/json' };
  const response = await server.inject({ method: 'POST', url: '/', headers, payload });
  await server.close();
  expect(budget.held).toBe(0);
  return response.json();
}

const listOf = (values: number): string => JSON.stringify(Array(values).fill(1));

it('reserves the memory of its values until the response', async () => {
  const text = listOf(MAX_VALUES);
  const { body, held } = await parsed(text);
  expect(body?.parsed).toHaveLength(MAX_VALUES);
  expect(held).toBe(text.length + MAX_VALUES * BYTES_PER_VALUE);
});

it('neither parses nor reserves too many values', async () => {
  const text = listOf(MAX_VALUES + 1);
  expect(await parsed(text)).toEqual({ held: text.length });
});

it('has nothing parsed in a body that is not JSON', async () => {
  expect((await parsed('{"event"')).body).toEqual({});
});
