/** A running embedded server. Its URL includes the password. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the process has exited. */
  stop(): Promise<void>;
}
