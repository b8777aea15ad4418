import { transport } from './api';

const PATH = '/api/session/second-factor';

/** The second factor of the user. */
export const secondFactor = {
  /** The secret takes effect once a code confirms it. */
  begin: (password: string | undefined): Promise<{ readonly secret: string; readonly uri: string }> =>
    transport.json({ method: 'POST', path: PATH, body: { password } }),
  confirm: (code: string): Promise<{ readonly recoveryCodes: readonly string[] }> =>
    transport.json({ method: 'POST', path: `${PATH}/confirm`, body: { code } }),
  remove: (body: { readonly password?: string | undefined; readonly code: string }): Promise<void> =>
    transport.json({ method: 'POST', path: `${PATH}/remove`, body }),
};
