import { during } from '../moves.js';
import type { Scenario } from '../scenario.js';

export const postgresRestart: Scenario = {
  id: 'F14',
  fault: 'Postgres stopped as by a crash amid sends and flushes, and back after 3 s',
  withinMs: 90_000,
  async inject({ plant, traffic, clients, expect }) {
    const load = traffic();
    await during(1);
    await plant.postgres.stop('immediate');
    await during(3);
    await plant.postgres.start();
    await during(1);
    await load.stop();
    expect('every hit was answered', clients.ledger.unansweredHits === 0);
  },
};

export const commitUnanswered: Scenario = {
  id: 'F15',
  fault: 'connections to Postgres cut between COMMIT and its answer, 10 times for each role',
  withinMs: 120_000,
  allowance: { ambiguousMoments: 1 },
  async inject({ plant, traffic }) {
    const load = traffic();
    for (let round = 0; round < 10; round++) {
      const all = [...plant.workers, ...plant.flushers];
      await Promise.race([Promise.all(all.map(({ cables }) => cables.postgres.cutAfter('COMMIT'))), during(5)]);
    }
    await load.stop();
  },
};
