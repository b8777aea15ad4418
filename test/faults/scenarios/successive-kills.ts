import { waitSeconds } from '../actions.js';
import type { ScenarioContext } from '../scenario.js';

/** Kills processes of the given roles, one after the other, and restarts each. */
export class SuccessiveKills {
  private inProgress: Promise<void> = Promise.resolve();
  private kills = 0;

  constructor(private readonly context: ScenarioContext) {}

  begin(roles: readonly ScenarioContext['testbed']['workers'][]): void {
    this.inProgress = this.inProgress.then(async () => {
      for (const processes of roles) {
        const victim = processes[this.kills++ % processes.length]!;
        await waitSeconds(0.3);
        await victim.kill();
        await victim.start();
      }
    });
    this.inProgress.catch((error: unknown) =>
      this.context.expect(`the killed processes restart: ${String(error)}`, false),
    );
  }

  async end(): Promise<number> {
    await this.inProgress;
    return this.kills;
  }
}
