/** What a link that works once does: sets a password, or signs in. */
export const TOKEN_PURPOSES = ['password', 'sign-in'] as const;

export type TokenPurpose = (typeof TOKEN_PURPOSES)[number];
