import './styles/base.css';
import './styles/layout.css';
import './styles/components.css';
import './styles/work.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { Router } from 'wouter-preact';
import { App } from './app';
import { queries } from './queries';
import { applyTheme } from './theme';
import { askBeforeLeaving } from './unsaved';

applyTheme();
render(
  <QueryClientProvider client={queries}>
    <Router aroundNav={askBeforeLeaving}>
      <App />
    </Router>
  </QueryClientProvider>,
  document.getElementById('app')!,
);
