import { useQuery } from '@tanstack/preact-query';
import { MailbeaconError } from '../../client/src/index';
import { SESSION_KEY } from './queries';

export type Scope = 'send' | 'read' | 'manage';

/** Who is signed in, for which organization, and what they may do. */
export interface Session {
  readonly user: { readonly email: string };
  readonly organization: { readonly id: string; readonly name: string };
  readonly role: string;
  readonly scopes: readonly Scope[];
}

export function useSession() {
  return useQuery({ queryKey: SESSION_KEY, queryFn: () => callSession<Session>('GET'), staleTime: 60_000 });
}

export function useCan(scope: Scope): boolean {
  return useSession().data?.scopes.includes(scope) ?? false;
}

/** @throws MailbeaconError */
export async function callSession<Body>(method: 'GET' | 'POST' | 'DELETE', body?: object): Promise<Body> {
  const headers = { 'x-requested-with': 'mailbeacon-dashboard', ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch('/api/session', { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Body;
  const { error = `The service responded ${response.status}` } = JSON.parse(text || '{}') as { error?: string };
  const requestId = response.headers.get('x-request-id') ?? '';
  throw new MailbeaconError({ status: response.status, message: error, requestId });
}
