import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { CampaignReports } from './campaign-reports.js';
import { CampaignsController } from './campaigns.controller.js';
import { Campaigns } from './campaigns.js';
import { StatsController } from './stats/stats.controller.js';

@Module({
  imports: [OrganizationsModule],
  controllers: [CampaignsController, StatsController],
  providers: [Campaigns, CampaignReports],
  exports: [Campaigns],
})
export class CampaignsModule {}
