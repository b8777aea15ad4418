import { linkedQuery, Pages } from './pages.js';
import type { Call } from './call.js';
import type { Transport } from './transport.js';

/**
 * A list whose pages the Link header connects.
 * @param parameter the query parameter that names the start of a page
 */
export function listOf<Body, Item>(
  transport: Transport,
  call: Omit<Call, 'method'>,
  itemsOf: (body: Body) => Item[],
  parameter = 'cursor',
  rel = 'next',
): Pages<Item> {
  return new Pages(async (cursor) => {
    const query = cursor === undefined ? call.query : { ...call.query, [parameter]: cursor };
    const { body, link } = await transport.linked<Body>({ ...call, method: 'GET', query });
    const nextCursor = linkedQuery(link, rel)?.get(parameter) ?? undefined;
    return { items: itemsOf(body), ...(nextCursor !== undefined && { nextCursor }) };
  });
}
