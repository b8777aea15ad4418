import { useQuery } from '@tanstack/preact-query';
import { client } from '../api';
import { formatCount, formatPercent, Time } from '../format';
import { ATTENTION_MS } from '../live';
import { guardWords, providerWords } from '../sending-words';
import type { SendingState } from '../types';
import { Badge } from './badge';
import { Scroll } from './scroll';
import { Failure, Loading } from './states';

/** Shared by all pages that show the state. */
export function useSendingState() {
  return useQuery({
    queryKey: ['sending'],
    queryFn: ({ signal }) => client.sending.get({ signal }),
    refetchInterval: ATTENTION_MS,
  });
}

/** Shows whether mail is sent and accepted, and otherwise why not and what to do. */
export function SendingStatus() {
  const sending = useSendingState();
  if (sending.isPending) return <Loading />;
  if (sending.isLoadingError) return <Failure error={sending.error} retry={() => void sending.refetch()} />;
  const { reason, since, state, provider, rates, limits } = sending.data;
  return (
    <>
      <State name="Your mail" words={guardWords(sending.data)}>
        {reason !== null && <p>{reason}.</p>}
        {state !== 'normal' && since !== null && (
          <p class="hint">
            Since <Time at={since} />
          </p>
        )}
      </State>
      <State name="Email provider" words={providerWords(provider)}>
        {provider.until !== null && (
          <p class="hint">
            Sending is retried <Time at={provider.until} />
          </p>
        )}
      </State>
      <Rates rates={rates} />
      <Limits limits={limits} />
    </>
  );
}

interface StateProps {
  readonly name: string;
  readonly words: ReturnType<typeof guardWords>;
  readonly children: preact.ComponentChildren;
}

function State({ name, words: { badge, tone, meaning, todo }, children }: StateProps) {
  return (
    <section class="stack tight" aria-label={name}>
      <h3>
        {name} <Badge state={badge} tone={tone} />
      </h3>
      <p>{meaning}</p>
      {children}
      {todo !== undefined && <p class={`notice ${tone}`}>{todo}</p>}
    </section>
  );
}

const WINDOWS: Readonly<Record<number, string>> = { 1: '1 hour', 24: '24 hours', 168: '7 days' };

function Rates({ rates }: { readonly rates: SendingState['rates'] }) {
  return (
    <Scroll label="Bounces and complaints">
      <table aria-label="Bounces and complaints">
        <thead>
          <tr>
            <th scope="col">Last</th>
            <th scope="col" class="number">
              Recipients
            </th>
            <th scope="col" class="number">
              Bounced
            </th>
            <th scope="col" class="number">
              Complained
            </th>
          </tr>
        </thead>
        <tbody>
          {rates.map(({ hours, sent, bounceRate, complaintRate }) => (
            <tr key={hours}>
              <th scope="row">{WINDOWS[hours] ?? `${hours} hours`}</th>
              <td class="number">{formatCount(sent)}</td>
              <td class="number">{formatPercent(100 * bounceRate)}</td>
              <td class="number">{formatPercent(100 * complaintRate)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** The consequences of limits, mildest first. */
const STEPS = ['warned', 'slowed', 'paused'] as const;

function Limits({ limits: { minSent, bounced, complained } }: { readonly limits: SendingState['limits'] }) {
  const text = (limit: typeof bounced): string =>
    STEPS.filter((step) => limit[step] !== null)
      .map((step) => `${step} at ${formatPercent(100 * limit[step]!)}`)
      .join(', ') || 'no limits';
  return (
    <p class="hint">
      Hard bounces: {text(bounced)}. Complaints: {text(complained)}. Limits apply from {formatCount(minSent)} recipients
      on.
    </p>
  );
}
