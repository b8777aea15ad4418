import { useQuery } from '@tanstack/preact-query';
import { client } from '../api';
import type { Domain } from '../types';

/** An organization has no more domains. */
const MAX_DOMAINS = 100;

/**
 * The domain of a sender if no verified domain covers it, so that emails get an address of the platform. Undefined for a
 * verified domain, while the domains are unknown, and while the sender is not complete.
 */
export function useMovedSender(from: string): string | undefined {
  const { data } = useQuery({
    queryKey: ['sender-domains'],
    queryFn: async ({ signal }) => (await client.domains.list({ limit: MAX_DOMAINS }, { signal }).first()).items,
  });
  const domain = /@([^\s@<>]+)>?\s*$/.exec(from)?.[1];
  if (data === undefined || domain === undefined) return undefined;
  return data.some((known) => covers(known, inALabels(domain))) ? undefined : domain;
}

export function MovedSenderNotice({ domain }: { readonly domain: string }) {
  return (
    <p class="notice warn">
      {domain} is not a verified domain of this organization: people see an address of the platform as the sender, and
      replies go to your address.
    </p>
  );
}

/** A subdomain of a verified domain counts as verified. */
function covers({ domain, status }: Domain, sender: string): boolean {
  return status === 'verified' && (sender === domain || sender.endsWith(`.${domain}`));
}

/** In A-labels, as the API has domains; as it is if it is no domain. */
function inALabels(domain: string): string {
  const url = `https://${domain}`;
  return URL.canParse(url) ? new URL(url).hostname : domain;
}
