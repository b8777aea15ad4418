import { withFresh, type ListPage } from '../../packages/dashboard/src/list-page.js';

interface Row {
  readonly id: string;
  readonly status: string;
}

/** A page of rows: each letter is the ID of one. */
function pageOf(ids: string, status = 'old'): ListPage<Row> {
  return { items: [...ids].map((id) => ({ id, status })), nextCursor: 'more' };
}

function merged(pages: string[], fresh: string): string[] {
  const result = withFresh(
    pages.map((ids) => pageOf(ids)),
    pageOf(fresh, 'new'),
    ({ id }) => id,
  );
  return result.map(({ items }) => items.map(({ id, status }) => (status === 'new' ? id.toUpperCase() : id)).join(''));
}

describe('the first page of a list, read again', () => {
  it.each([
    ['updates known rows', ['abc', 'def'], 'abc', ['ABC', 'def']],
    ['adds new rows before them', ['abc', 'def'], 'xab', ['XABc', 'def']],
    ['adds a row in between', ['abc', 'def'], 'axb', ['AXBc', 'def']],
    ['drops a row that no longer matches', ['abc', 'def'], 'acd', ['AC', 'Def']],
    ['drops rows of a page that nothing is left of', ['abc', 'def', 'ghi'], 'egh', ['', 'E', 'GHi']],
    ['adds a row after the last known one', ['abc', 'def'], 'abx', ['ABXc', 'def']],
    ['starts over if it knows none of the rows', ['abc', 'def'], 'xyz', ['XYZ']],
    ['keeps the pages if it is empty although there are more', ['abc', 'def'], '', ['abc', 'def']],
  ])('%s', (_, pages, fresh, result) => {
    expect(merged(pages, fresh)).toEqual(result);
  });

  it('is the whole list if there is no further page', () => {
    const { items } = pageOf('ab', 'new');
    const fresh = { items };
    expect(withFresh([pageOf('abc'), pageOf('def')], fresh, ({ id }) => id)).toEqual([fresh]);
    expect(withFresh([pageOf('abc')], { items: [] }, ({ id }: Row) => id)).toEqual([{ items: [] }]);
  });

  it('keeps further pages as they are, so that their rows need not be drawn again', () => {
    const pages = [pageOf('abc'), pageOf('def')];
    expect(withFresh(pages, pageOf('abc', 'new'), ({ id }) => id)[1]!.items).toBe(pages[1]!.items);
  });
});
