import { useQuery } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import { client } from '../api';
import { formatPercent } from '../format';
import { budgetLabel, isNear, usedPercent } from '../budgets';
import { MAX_ITEMS } from '../list-page';
import { ATTENTION_MS } from '../live';
import { guardWords, pauseWords, providerWords } from '../sending-words';
import { isUnread } from '../unread';
import { shownName } from '../shown-name';
import { Card } from './page';
import { useSendingState } from './sending-state';

interface Problem {
  readonly to: string;
  readonly name: string;
  readonly why: string;
}

/** Problems that need attention; renders nothing if there are none. */
export function Attention() {
  const problems = [
    ...[...useSendingProblems(), ...useProviderProblems(), ...useDomainProblems()],
    ...[...useTrackingDomainProblems(), ...useWebhookProblems(), ...useBudgetProblems()],
  ];
  if (problems.length === 0) return null;
  return (
    <Card title="Needs attention">
      <ul class="plain">
        {problems.map(({ to, name, why }) => (
          <li key={`${to} ${name}`} class="notice warn">
            <Link dir="auto" href={to}>
              {shownName(name)}
            </Link>
            : {why}
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface Resource<Item> {
  list(
    page: { readonly limit: number },
    options: { readonly signal: AbortSignal },
  ): { first(): Promise<{ readonly items: readonly Item[] }> };
}

/** In place of problems that are unknown. */
function unread(to: string, name: string): readonly Problem[] {
  return [{ to, name, why: 'whether there are problems could not be read' }];
}

/**
 * The problems of the items of a list; none while it is loading.
 * @param name of the list, and part of the key of the query
 * @param page where they are listed
 */
function useListed<Item>(
  name: string,
  resource: Resource<Item>,
  problems: (items: readonly Item[]) => readonly Problem[],
  page = `/${name}`,
): readonly Problem[] {
  const query = useQuery({
    queryKey: ['overview', name],
    queryFn: ({ signal }) => resource.list({ limit: MAX_ITEMS }, { signal }).first(),
    refetchInterval: ATTENTION_MS,
  });
  if (isUnread(query)) return unread(page, name[0]!.toUpperCase() + name.slice(1));
  return problems(query.data?.items ?? []);
}

function useSendingProblems(): readonly Problem[] {
  const query = useSendingState();
  if (isUnread(query)) return unread('/settings', 'Sending');
  const { data } = query;
  if (!data) return [];
  const [mail, provider] = [guardWords(data), providerWords(data.provider)];
  return [
    ...(data.state === 'normal' ? [] : [{ to: '/settings', name: 'Sending', why: mail.meaning }]),
    ...(data.provider.until === null ? [] : [{ to: '/settings', name: 'Email provider', why: provider.meaning }]),
  ];
}

function useProviderProblems(): readonly Problem[] {
  return useListed('providers', client.providers, (providers) =>
    providers.flatMap(({ id, name, state }) => {
      const words = pauseWords(state);
      return words === undefined ? [] : [{ to: `/providers/${id}`, name, why: `the provider ${words.why}` }];
    }),
  );
}

function useDomainProblems(): readonly Problem[] {
  return useListed('domains', client.domains, (domains) =>
    domains
      .filter(({ failingSince, notice }) => failingSince !== null || notice !== null)
      .map(({ id, shownDomain, notice }) => ({
        to: `/domains/${id}`,
        name: shownDomain,
        why: notice ?? 'its ownership cannot be confirmed',
      })),
  );
}

function useTrackingDomainProblems(): readonly Problem[] {
  return useListed(
    'tracking domains',
    client.trackingDomains,
    (domains) =>
      domains
        .filter(({ failingSince }) => failingSince !== null)
        .map(({ id, shownDomain }) => ({
          to: `/domains/tracking/${id}`,
          name: shownDomain,
          why: 'its records are not confirmed',
        })),
    '/domains',
  );
}

function useWebhookProblems(): readonly Problem[] {
  return useListed('webhooks', client.webhooks, (webhooks) =>
    webhooks
      .filter(({ enabled, failingSince }) => !enabled || failingSince !== null)
      .map(({ id, url, enabled }) => ({
        to: `/webhooks/${id}`,
        name: url,
        why: enabled ? 'deliveries fail' : 'it is disabled',
      })),
  );
}

function useBudgetProblems(): readonly Problem[] {
  const query = useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => client.usage.get({ signal }),
    refetchInterval: ATTENTION_MS,
  });
  if (isUnread(query)) return unread('/settings', 'Budgets');
  return Object.entries(query.data?.budgets ?? {})
    .filter(([, usage]) => isNear(usage))
    .map(([name, usage]) => ({
      to: '/settings',
      name: budgetLabel(name),
      why: `${formatPercent(Math.floor(usedPercent(usage)))} of the budget is used`,
    }));
}
