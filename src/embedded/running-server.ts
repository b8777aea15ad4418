/** A server that runs for us: its address, password included, and its process. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
}
