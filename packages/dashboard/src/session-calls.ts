import type { Key } from '../../client/src/index';
import { hasStatus, transport } from './api';
import { forgetOrganization, keepOrganization, organizationOfNextLoad, organizationOfTab } from './organization-of-tab';

export type Scope = Key['scopes'][number];

/** The roles: an owner may do everything, a viewer may only read. */
export type Role = 'owner' | 'member' | 'viewer';

export interface OrganizationRole {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** The signed-in user, their organization and permissions. */
export interface Session {
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly hasPassword: boolean;
    readonly secondFactor: boolean;
  };
  readonly organization: OrganizationRole;
  readonly scopes: readonly Scope[];
  /** Why an operator suspended the organization; null if it is not suspended. */
  readonly suspended: string | null;
  readonly organizations: readonly OrganizationRole[];
}

export interface Credentials {
  readonly email?: string | undefined;
  readonly password?: string | undefined;
  /** Token of a sign-in link. */
  readonly token?: string | undefined;
  /** Code of the second factor. */
  readonly code?: string | undefined;
}

/** The ways to sign in besides email and password. */
interface SignInOptions {
  readonly oidc: boolean;
  readonly passwordReset: boolean;
}

const PATH = '/api/session';

/** The session of the user. */
export const sessions = {
  get: readSession,
  options: (signal: AbortSignal): Promise<SignInOptions> =>
    transport.json({ method: 'GET', path: `${PATH}/options`, options: { signal } }),
  signIn: (credentials: Credentials): Promise<Session> =>
    transport.json({ method: 'POST', path: PATH, body: credentials }),
  signOut: (): Promise<void> => transport.json({ method: 'DELETE', path: PATH }),
  signOutEverywhere: (): Promise<void> => transport.json({ method: 'DELETE', path: '/api/sessions' }),
  /** Chooses it for this tab, and for new ones. The caller loads the page again. */
  chooseOrganization: async (organizationId: string): Promise<void> => {
    await transport.json({ method: 'PATCH', path: PATH, body: { organizationId } });
    organizationOfNextLoad(organizationId);
  },
  requestPassword: (email: string): Promise<void> =>
    transport.json({ method: 'POST', path: `${PATH}/reset`, body: { email } }),
  setPassword: (body: { readonly token: string; readonly password: string }): Promise<void> =>
    transport.json({ method: 'POST', path: `${PATH}/password`, body }),
  changePassword: (body: { readonly currentPassword: string; readonly newPassword: string }): Promise<Session> =>
    transport.json({ method: 'PUT', path: `${PATH}/password`, body }),
};

async function readSession(signal: AbortSignal): Promise<Session> {
  try {
    const session = await transport.json<Session>({ method: 'GET', path: PATH, options: { signal } });
    keepOrganization(session.organization.id);
    return session;
  } catch (error) {
    const isRemoved = hasStatus(error, 403) && organizationOfTab() !== undefined;
    if (isRemoved || hasStatus(error, 401)) forgetOrganization();
    if (!isRemoved) throw error;
    // The user is no longer a member. A reload leaves nothing of the organization in memory.
    location.assign('/');
    return new Promise(() => undefined);
  }
}
