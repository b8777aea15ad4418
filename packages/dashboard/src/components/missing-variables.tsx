import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { client } from '../api';
import { formatCount, plural } from '../format';
import { REFRESH_MS } from '../live';
import { useSettled } from '../settled';
import type { MissingVariables } from '../types';

/** Recipients can be suppressed at any time. To count many of them can take the service two seconds. */
const REFRESH_MANY_MS = 60_000;
const MANY = 10_000;
const listed = new Intl.ListFormat('en');

/**
 * The variables for which recipients of a draft have no value, and how many recipients have been suppressed since they
 * were added; undefined until they are known.
 * @param total how many recipients it has
 * @param saves how often it was saved
 */
export function useMissingVariables(id: string, total: number, saves: number): MissingVariables | undefined {
  const settledSaves = useSettled(saves);
  const { data } = useQuery({
    queryKey: ['missing-variables', id, total, settledSaves],
    queryFn: ({ signal }) => client.broadcasts.missingVariables(id, { signal }),
    enabled: total > 0,
    refetchInterval: total > MANY ? REFRESH_MANY_MS : REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return total > 0 ? data : undefined;
}

interface MissingNoticeProps {
  readonly missing: MissingVariables;
  /** How many recipients get an email. */
  readonly getting: number;
}

/** Says which variables are empty in the emails of some recipients, before these are sent. */
export function MissingNotice({ missing: { recipients, variables }, getting }: MissingNoticeProps) {
  if (variables.length === 0) return null;
  const first = recipients < getting ? `the first ${formatCount(recipients)}` : undefined;
  return (
    <section class="notice warn stack tight" aria-label="Empty variables">
      <p>Some variables are empty:</p>
      <ul>
        {variables.map(({ name, recipients: lacking }) => (
          <li key={name}>{lackingWords(name, lacking, recipients, first)}</li>
        ))}
      </ul>
      <p>
        Write in the message what to show instead, such as{' '}
        <code>{`{{ ${variables[0]!.name} | default: "there" }}`}</code>
      </p>
    </section>
  );
}

function lackingWords(name: string, lacking: number, recipients: number, first: string | undefined): string {
  if (lacking === recipients)
    return `${first === undefined ? 'No recipient' : `None of ${first}`} has a value for ${name}.`;
  const of = first ?? plural(recipients, 'recipient');
  return `${formatCount(lacking)} of ${of} ${lacking === 1 ? 'has' : 'have'} no value for ${name}.`;
}

/** The same as a sentence of a question; empty if nothing is missing. */
export function missingSentence(missing: MissingVariables | undefined, getting: number): string {
  if (missing === undefined || missing.variables.length === 0) return '';
  const isForAll = ({ recipients }: MissingVariables['variables'][number]): boolean => recipients === getting;
  const forAll = missing.variables.filter(isForAll).map(({ name }) => name);
  const forSome = missing.variables.filter((variable) => !isForAll(variable)).map(({ name }) => name);
  const parts = [
    ...(forAll.length > 0 ? [`${listed.format(forAll)} empty${getting > 1 ? ' for all of them' : ''}`] : []),
    ...(forSome.length > 0 ? [`${listed.format(forSome)} empty for some of them`] : []),
  ];
  return ` It leaves ${parts.join(', and ')}.`;
}
