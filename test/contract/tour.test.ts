import { ANY_ENGAGEMENT } from '../support/engagement.js';
import { startLoneService } from '../support/lone-service.js';
import { NO_REPORTS } from '../support/no-reports.js';
import { takeTheTour } from './tour.js';

it('a client written only from /openapi.json uses every operation of a newly started service', async () => {
  const service = await startLoneService();
  try {
    expect(await takeTheTour(service.address, service.apiKey)).toEqual({
      totalEmails: 2,
      totalOpens: 1,
      totalClicks: 1,
      openRate: 50,
      clickRate: 50,
      engagementScore: 50,
      ...NO_REPORTS,
      ...ANY_ENGAGEMENT,
    });
  } finally {
    await service.end();
  }
});
