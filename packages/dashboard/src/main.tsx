import './styles/base.css';
import './styles/layout.css';
import './styles/components.css';
import './styles/work.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { App } from './app';
import { queries } from './queries';
import { applyTheme } from './theme';

applyTheme();
render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
  document.getElementById('app')!,
);
