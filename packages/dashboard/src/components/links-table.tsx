import { formatCount, formatPercent } from '../format';
import { Scroll } from './scroll';

interface LinksTableProps {
  readonly links: readonly { readonly url: string; readonly people: number; readonly clicks: number }[];
  /** Shown instead of an empty table. */
  readonly none: string;
  /** The total clicks by people for the shares; by default the sum of these links. */
  readonly total?: number;
}

/** Links with clicks by people, their share, and clicks including machines. */
export function LinksTable({ links, none, total }: LinksTableProps) {
  if (links.length === 0) return <p class="muted">{none}</p>;
  const all = Math.max(1, total ?? links.reduce((sum, { people }) => sum + people, 0));
  return (
    <Scroll label="Links and their clicks">
      <table aria-label="Links">
        <thead>
          <tr>
            <th scope="col">Link</th>
            <th scope="col" class="number">
              People
            </th>
            <th scope="col" class="number">
              Share
            </th>
            <th scope="col" class="number">
              With machines
            </th>
          </tr>
        </thead>
        <tbody>
          {links.map(({ url, people, clicks }, place) => (
            <tr key={place}>
              <td class="address">
                {url}
                <div class="bar thin" aria-hidden="true">
                  <span style={{ width: `${(100 * people) / all}%` }} />
                </div>
              </td>
              <td class="number">{formatCount(people)}</td>
              <td class="number">{formatPercent((100 * people) / all)}</td>
              <td class="number">{formatCount(clicks)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
