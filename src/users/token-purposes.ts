/** The purposes of links that work once: to set a password, or to sign in. */
export const TOKEN_PURPOSES = ['password', 'sign-in'] as const;

export type TokenPurpose = (typeof TOKEN_PURPOSES)[number];
