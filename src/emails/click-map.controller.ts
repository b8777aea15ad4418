import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { clickMapDocs } from './click-map-docs.js';
import { ClickMaps, type ClickMap } from './read/click-map.js';

@Controller('api')
@UseGuards(KeyGuard)
export class ClickMapController {
  constructor(private readonly maps: ClickMaps) {}

  @Get('campaigns/:id/click-map')
  @clickMapDocs.ofCampaign
  ofCampaign(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ClickMap> {
    return this.maps.ofCampaign(caller, id);
  }

  @Get('emails/:id/click-map')
  @clickMapDocs.ofEmail
  ofEmail(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ClickMap> {
    return this.maps.ofEmail(caller, id);
  }
}
