import { formatCount } from '../format';
import { plainWords } from '../plain-words';

interface BadLinesProps {
  readonly lines: readonly { readonly line: number; readonly reason: string }[];
  readonly total: number;
  /** Names each line, in place of its number. */
  readonly names?: readonly string[] | undefined;
}

/** The lines of a file, or the addresses of a list, that were not stored, and why. */
export function BadLines({ lines, total, names }: BadLinesProps) {
  if (lines.length === 0) return null;
  return (
    <div class="scroll bounded" tabIndex={0} role="region" aria-label={names ? 'Bad addresses' : 'Bad lines'}>
      <table>
        <thead>
          <tr>
            <th scope="col" class={names ? undefined : 'number'}>
              {names ? 'Address' : 'Line'}
            </th>
            <th scope="col">What is wrong</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ line, reason }) => (
            <tr key={line}>
              <td class={names ? undefined : 'number'}>{names ? names[line - 1] : formatCount(line)}</td>
              <td>{plainWords(reason)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > lines.length && (
        <p class="hint">
          The first {formatCount(lines.length)} of {formatCount(total)}.
        </p>
      )}
    </div>
  );
}
