import './signing-cases.js';
import './redelivery-cases.js';
