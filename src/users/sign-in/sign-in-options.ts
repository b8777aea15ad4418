/** The ways to sign in that depend on the settings of the installation. */
export interface SignInOptions {
  readonly oidc: boolean;
  readonly passwordReset: boolean;
}
