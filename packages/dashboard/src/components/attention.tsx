import { useQuery } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import { client } from '../api';
import { formatPercent } from '../format';
import { budgetLabel, isNear, usedPercent } from '../budgets';
import { guardWords, providerWords } from '../sending-words';
import { Card } from './page';
import { useSendingState } from './sending-state';

interface Problem {
  readonly to: string;
  readonly name: string;
  readonly why: string;
}

const MAX_LISTED = 100;
const REFRESH_MS = 30_000;

/** Problems that need attention; renders nothing if there are none. */
export function Attention() {
  const problems = [
    ...[...useSendingProblems(), ...useProviderProblems(), ...useDomainProblems()],
    ...[...useWebhookProblems(), ...useBudgetProblems()],
  ];
  if (problems.length === 0) return null;
  return (
    <Card title="Needs attention">
      <ul class="plain">
        {problems.map(({ to, name, why }) => (
          <li key={`${to} ${name}`} class="notice warn">
            <Link href={to}>{name}</Link>: {why}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function useSendingProblems(): readonly Problem[] {
  const { data } = useSendingState();
  if (!data) return [];
  const [mail, provider] = [guardWords(data), providerWords(data.provider)];
  return [
    ...(data.state === 'normal' ? [] : [{ to: '/settings', name: 'Sending', why: mail.meaning }]),
    ...(data.provider.until === null ? [] : [{ to: '/settings', name: 'Email provider', why: provider.meaning }]),
  ];
}

function useProviderProblems(): readonly Problem[] {
  const { data } = useQuery({
    queryKey: ['overview', 'providers'],
    queryFn: ({ signal }) => client.providers.list({ limit: MAX_LISTED }, { signal }).first(),
    refetchInterval: REFRESH_MS,
  });
  return (data?.items ?? [])
    .filter(({ pausedUntil }) => pausedUntil !== null)
    .map(({ id, name, state }) => ({
      to: `/providers/${id}`,
      name,
      why: state === 'throttled' ? 'the provider asked for a pause' : 'the provider refuses the credentials',
    }));
}

function useDomainProblems(): readonly Problem[] {
  const { data } = useQuery({
    queryKey: ['overview', 'domains'],
    queryFn: ({ signal }) => client.domains.list({ limit: MAX_LISTED }, { signal }).first(),
    refetchInterval: REFRESH_MS,
  });
  return (data?.items ?? [])
    .filter(({ failingSince, notice }) => failingSince !== null || notice !== null)
    .map(({ id, shownDomain, notice }) => ({
      to: `/domains/${id}`,
      name: shownDomain,
      why: notice ?? 'its ownership cannot be confirmed',
    }));
}

function useWebhookProblems(): readonly Problem[] {
  const { data } = useQuery({
    queryKey: ['overview', 'webhooks'],
    queryFn: ({ signal }) => client.webhooks.list({ limit: MAX_LISTED }, { signal }).first(),
    refetchInterval: REFRESH_MS,
  });
  return (data?.items ?? [])
    .filter(({ enabled, failingSince }) => !enabled || failingSince !== null)
    .map(({ id, url, enabled }) => ({
      to: `/webhooks/${id}`,
      name: url,
      why: enabled ? 'deliveries fail' : 'it is disabled',
    }));
}

function useBudgetProblems(): readonly Problem[] {
  const { data } = useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => client.usage.get({ signal }),
    refetchInterval: REFRESH_MS,
  });
  return Object.entries(data?.budgets ?? {})
    .filter(([, usage]) => isNear(usage))
    .map(([name, usage]) => ({
      to: '/settings',
      name: budgetLabel(name),
      why: `${formatPercent(Math.floor(usedPercent(usage)))} of the budget is used`,
    }));
}
