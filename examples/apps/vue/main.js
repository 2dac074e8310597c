import { createApp } from 'vue';
import { defineElements } from 'holdpoint/elements';
import 'holdpoint/elements.css';
import App from './App.vue';
import './page.css';

defineElements();
createApp(App).mount('#app');
