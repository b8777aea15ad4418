import type { Mapping } from '../csv-columns';
import { Scroll } from './scroll';

interface ColumnMappingProps {
  readonly columns: readonly Mapping[];
  change(columns: readonly Mapping[]): void;
}

const USES = { to: 'Address of the recipient', variable: 'Variable', nothing: 'Leave out' } as const;

/** Assigns a meaning to each column of a file. */
export function ColumnMapping({ columns, change }: ColumnMappingProps) {
  const set = (place: number, changes: Partial<Mapping>): void => {
    change(columns.map((column, at) => (at === place ? { ...column, ...changes } : column)));
  };
  return (
    <Scroll label="Columns of the file">
      <table aria-label="Columns of the file">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">First value</th>
            <th scope="col">Becomes</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, sample, use, variable }, place) => {
            const title = name === '' ? `Column ${place + 1}` : name;
            return (
              <tr key={place}>
                <td>{title}</td>
                <td class="mono">{sample}</td>
                <td>
                  <div class="actions mapping">
                    <select
                      aria-label={`${title} becomes`}
                      value={use}
                      onChange={({ currentTarget }) => set(place, { use: currentTarget.value as Mapping['use'] })}
                    >
                      {Object.entries(USES).map(([value, text]) => (
                        <option key={value} value={value}>
                          {text}
                        </option>
                      ))}
                    </select>
                    {use === 'variable' && (
                      <input
                        aria-label={`Variable of ${title}`}
                        value={variable}
                        onInput={({ currentTarget }) => set(place, { variable: currentTarget.value })}
                      />
                    )}
                  </div>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}
